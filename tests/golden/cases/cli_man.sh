# Manual pages are made of the table of options: one of a command, and that of the program.
"$ANALYZER" help --man merge | grep -v "^.BR analyzer"
echo "exit status $?"
"$ANALYZER" help --man | sed -n '/^\.SH NAME/,/^\.SH DESCRIPTION/p'
"$ANALYZER" help --man | grep '^\.SH'
