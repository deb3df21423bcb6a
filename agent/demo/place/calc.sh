#!/bin/sh
# calc.sh A B prints the sum of two whole numbers.
a=$1
b=$2
echo $((a - b))
