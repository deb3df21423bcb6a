#!/bin/sh
# kind: escape
# holds: writes in proc/sys
. "$(dirname "$0")/facts.sh"
echo RAN
for f in kernel/core_pattern kernel/modprobe kernel/hotplug vm/overcommit_memory kernel/ns_last_pid fs/binfmt_misc/register kernel/randomize_va_space net/ipv4/ip_forward kernel/hostname user/max_user_namespaces kernel/pid_max kernel/sysrq; do v=$(cat /proc/sys/$f 2>/dev/null); if (echo "${v:-x}" > /proc/sys/$f) 2>/dev/null; then echo "ESCAPED $f"; fi; done; (echo h > /proc/sysrq-trigger) 2>/dev/null && echo ESCAPED sysrq; ls /sys/firmware /sys/kernel/debug /sys/fs/bpf 2>&1 | head; (echo 1 > /proc/self/oom_score_adj) && echo fine; (echo -1000 > /proc/self/oom_score_adj) 2>/dev/null && echo ESCAPED oom; find /sys -writable -type f 2>/dev/null | head -3
