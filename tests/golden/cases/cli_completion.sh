# Completion for the three shells: its frame, and the options of two commands.
"$ANALYZER" help --completion=bash | cut -c 1-48
"$ANALYZER" help --completion=zsh | sed -n -e 1,5p -e "/^)/,/^run)/p" -e '/^merge)/,/;;/p' -e '/^esac/,$p'
"$ANALYZER" help --completion=fish | grep -e '-a merge' -e "_from merge'" | head -n 60
for word in sh zs ''; do
    "$ANALYZER" help --completion=$word 2>&1
    echo "exit $?"
done
