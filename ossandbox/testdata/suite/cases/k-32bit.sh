#!/bin/sh
# kind: escape
# holds: foreign abi
. "$(dirname "$0")/facts.sh"
echo RAN
printf 'int main(){long r; __asm__ volatile("int $0x80":"=a"(r):"a"(26),"b"(0),"c"(0),"d"(0),"S"(0)); if(r>=0) __builtin_puts("ESCAPED"); return 0;}' > i.c && gcc -w -o i i.c && ./i; true
