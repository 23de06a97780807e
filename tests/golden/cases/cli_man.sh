# A manual page is made of the table of options: its sections, the synopsis, the first options.
"$ANALYZER" help --man classify >page
echo "exit status $?"
grep '^\.SH' page
sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' page
sed -n '/^\.SH OPTIONS/,$p' page | head -n 12
