# Completion for the three shells: its frame, and the options of two commands.
"$ANALYZER" help --completion=bash | sed -n -e '1,/^    --compat)/p' -e '/^    merge)/,/;;/p' -e '/^    schema)/,/;;/p' -e '/^    \*)/,$p' | cut -c 1-90
"$ANALYZER" help --completion=zsh | sed -n -e 1,5p -e "/^)/,/^run)/p" -e '/^merge)/,/;;/p' -e '/^esac/,$p'
"$ANALYZER" help --completion=fish | grep -e '-a merge' -e "_from merge'" | head -n 60
"$ANALYZER" help --completion=bash | grep -o "commands config.*topics"
for word in sh zs ''; do
    "$ANALYZER" help --completion=$word 2>&1
    echo "exit $?"
done
