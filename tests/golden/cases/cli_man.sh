# Manual pages are made of the table of options: one of a command, and that of the program.
"$ANALYZER" help --man merge
echo "exit status $?"
"$ANALYZER" help --man | sed -n -e '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' -e '/^\.SH EXIT/,$p' | head -n 60
