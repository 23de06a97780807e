# Manual pages are made of the table of options: one of a command, and that of the program.
"$ANALYZER" help --man merge | grep -v "^.BR analyzer"
echo "exit status $?"
"$ANALYZER" help --man | sed -n '/^\.SH NAME/,/^\.SH DESCRIPTION/p'
"$ANALYZER" help --man | grep '^\.SH'
"$ANALYZER" help config | head -n 14
"$ANALYZER" help config | sed -n '/^inputs\[\].nsys_report/,/^$/p'
"$ANALYZER" help confg 2>&1
echo "exit status $?"
