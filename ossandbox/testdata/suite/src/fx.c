#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <sys/mount.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/msg.h>
#include <sys/inotify.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>
#define IS(s) (!strcmp(v, s))
static void rep(const char *n, long r) { if (r >= 0) printf("ESCAPED %s = %ld\n", n, r); else printf("%s: %s\n", n, strerror(errno)); }
int main(int c, char **a) {
  const char *v = c > 1 ? a[1] : ""; setvbuf(stdout, 0, _IOLBF, 0); puts("RAN");
  char z[512] = {0};
  if (IS("userfaultfd")) { rep(v, syscall(SYS_userfaultfd, 0)); int f = open("/dev/userfaultfd", O_RDWR); rep("devuffd", f); }
  if (IS("bpf")) { unsigned at[32] = {2, 4, 4, 1}; rep(v, syscall(SYS_bpf, 0, at, sizeof at)); }
  if (IS("perf")) { unsigned at[32] = {1, 128}; rep(v, syscall(SYS_perf_event_open, at, 0, -1, -1, 0)); }
  if (IS("kexec")) { rep(v, syscall(SYS_kexec_load, 0x1000, 0, z, 0) ); rep("kexec_file", syscall(SYS_kexec_file_load, -1, -1, 0, "", 4)); }
  if (IS("module")) { rep("init", syscall(SYS_init_module, z, 64, "")); rep("finit", syscall(SYS_finit_module, 0, "", 0)); rep("delete", syscall(SYS_delete_module, "nosuchmod", 0)); }
  if (IS("mount")) { rep("mount", mount("none", "/tmp", "tmpfs", 0, 0)); rep("bind", mount("/", "/tmp", 0, MS_BIND, 0)); rep("umount", umount2("/proc", MNT_DETACH));
    rep("fsopen", syscall(430, "tmpfs", 0)); rep("open_tree", syscall(428, -100, "/", 1)); rep("pivot", syscall(SYS_pivot_root, ".", ".")); rep("umountws", umount2(a[2], MNT_DETACH)); rep("setattr", syscall(442, -100, "/usr", 0, z, 32)); }
  if (IS("chroot")) { rep(v, chroot("/tmp")); }
  if (IS("ns")) { long fl[] = {0x20000, 0x10000000, 0x20000000, 0x40000000, 0x8000000, 0x4000000, 0x2000000, 0x80}; for (int i = 0; i < 8; i++) rep("unshare", syscall(SYS_unshare, fl[i]));
    for (int i = 0; i < 7; i++) { long r = syscall(SYS_clone, fl[i] | 17, 0, 0, 0, 0); if (!r) _exit(0); rep("clone", r); }
    unsigned long ca[11] = {0x10000000, 0, 0, 0, 17}; long r = syscall(435, ca, 88); if (!r) _exit(0); rep("clone3", r);
    const char *n[] = {"user", "mnt", "pid", "net", "ipc", "uts", 0}; for (int i = 0; n[i]; i++) { sprintf(z, "/proc/1/ns/%s", n[i]); int f = open(z, O_RDONLY); if (f >= 0) rep("setns", syscall(SYS_setns, f, 0)); sprintf(z, "/proc/self/ns/%s", n[i]); f = open(z, O_RDONLY); if (f >= 0) { long q = ioctl(f, 0xb701); rep("NS_GET_USERNS", q >= 0 ? syscall(SYS_setns, q, 0) : -1);} } }
  if (IS("socks")) { int fam[] = {40, 17, 38, 15, 16, 31, 29, 30, 44, 21, 9, 3, 4, 5, 26}; int ty[] = {1, 2, 3, 5};
    for (int i = 0; i < 15; i++) for (int j = 0; j < 4; j++) for (int p = 0; p < 24; p++) { if (fam[i] == 16 && p == 0) continue; int s = socket(fam[i], ty[j], p); if (s >= 0) printf("ESCAPED socket %d %d %d\n", fam[i], ty[j], p); }
    int s = socket(2, 3, 1); rep("raw icmp", s); s = socket(2, 2, 1); printf("ping %d\n", s); s = socket(2, 1, 262); printf("mptcp %d\n", s); s = socket(10, 3, 58); rep("raw6", s); s = socket(2, 1, 132); printf("sctp %d\n", s); s = socket(2, 3, 255); rep("iphdr", s); }
  if (IS("tio")) { int t = open("/dev/tty", O_RDWR); if (t < 0) t = 0; char b[2] = {3, 0}; char q = 'x';
    rep("TIOCLINUX", ioctl(t, 0x541C, b)); rep("TIOCSTI", ioctl(t, 0x5412, &q)); rep("TIOCSTI hi", syscall(SYS_ioctl, t, 0x5412UL | (1UL << 40), &q)); int d = 3; rep("TIOCSETD", ioctl(t, 0x5423, &d)); rep("TIOCCONS", ioctl(t, 0x541D)); rep("TIOCSCTTY", ioctl(t, 0x540E, 1)); printf("done\n"); }
  if (IS("dev")) { int m[][2] = {{1, 1}, {1, 2}, {1, 4}, {10, 232}, {10, 229}, {8, 0}, {259, 0}, {7, 0}, {5, 1}, {4, 0}, {10, 200}, {1, 11}, {254, 0}};
    for (int i = 0; i < 13; i++) { sprintf(z, "node%d", i); if (!mknod(z, S_IFBLK | 0666, makedev(m[i][0], m[i][1]))) puts("ESCAPED mknod b"); if (!mknod(z, S_IFCHR | 0666, makedev(m[i][0], m[i][1]))) puts("ESCAPED mknod c"); sprintf(z, "/tmp/n%d", i); if (!mknod(z, S_IFCHR | 0666, makedev(m[i][0], m[i][1]))) puts("ESCAPED mknod tmp"); }
    const char *d[] = {"/dev/mem", "/dev/kmem", "/dev/port", "/dev/kvm", "/dev/fuse", "/dev/sda", "/dev/vda", "/dev/net/tun", "/dev/kmsg", "/dev/loop-control", "/dev/uinput", "/dev/input/event0", "/dev/dri/card0", "/dev/rtc0", "/dev/watchdog", "/dev/vhost-vsock", "/dev/vsock", "/dev/snd", "/dev/console", "/dev/tty1", "/dev/autofs", "/dev/mapper/control", "/dev/btrfs-control", "/dev/nvme0", 0}; for (int i = 0; d[i]; i++) { int f = open(d[i], O_RDONLY); if (f >= 0) printf("ESCAPED %s\n", d[i]); } }
  if (IS("handle")) { struct { unsigned b; int t; unsigned char h[128]; } h = {128}; int m; rep("name_to_handle", syscall(SYS_name_to_handle_at, -100, "/usr", &h, &m, 0)); h.b = 8; h.t = 1; memcpy(h.h, "\2\0\0\0\0\0\0\0", 8); int f = open("/", O_RDONLY); rep("open_by_handle", syscall(SYS_open_by_handle_at, f, &h, O_RDONLY)); }
  if (IS("host")) { int p = atoi(a[2]); long f = syscall(434, p, 0); if (f >= 0) { rep("getfd", syscall(438, f, 0, 0)); rep("pidfd_kill", syscall(424, f, SIGTERM, 0, 0)); } rep("kcmp", syscall(SYS_kcmp, p, getpid(), 0, 0, 0));
    struct rlimit r = {0, 0}; rep("prlimit", prlimit(p, RLIMIT_CPU, &r, 0)); rep("tgkill", syscall(SYS_tgkill, p, p, 9)); rep("tkill", syscall(SYS_tkill, p, 9)); rep("rt_sigqueueinfo", syscall(SYS_rt_sigqueueinfo, p, 15, z)); rep("killpg", kill(-p, 9)); rep("setpri", setpriority(0, p, 19)); unsigned long mask = 1; rep("affinity", syscall(SYS_sched_setaffinity, p, 8, &mask)); rep("ioprio", syscall(SYS_ioprio_set, 1, p, 0)); rep("migrate", syscall(SYS_migrate_pages, p, 64, &mask, &mask)); rep("move_pages", syscall(SYS_move_pages, p, 0, 0, 0, 0, 0));  kill(-1, 0); }
  if (IS("clock")) { struct timeval t = {1, 0}; rep("settimeofday", settimeofday(&t, 0)); struct timespec s = {1, 0}; rep("clock_settime", clock_settime(0, &s)); z[0] = 1; rep("adjtimex", syscall(SYS_adjtimex, (memset(z, 0, 512), *(int *)z = 2, z))); rep("sethostname", sethostname("x", 1)); rep("setdomain", syscall(SYS_setdomainname, "x", 1)); rep("acct", syscall(SYS_acct, 0)); rep("swapoff", syscall(SYS_swapoff, "/x")); rep("swapon", syscall(SYS_swapon, "/x", 0)); rep("syslog", syscall(SYS_syslog, 3, z, 100)); rep("quotactl", syscall(SYS_quotactl, 0x800001 << 8, 0, 0, 0)); rep("vhangup", syscall(SYS_vhangup)); rep("iopl", syscall(172, 3)); }
  if (IS("fanotify")) { rep(v, syscall(SYS_fanotify_init, 0x200, 0)); }
  if (IS("setid")) { rep("setuid0x", setuid(getuid() ? 0 : 12345)); rep("setgroups", syscall(SYS_setgroups, 0, 0)); rep("capset", syscall(SYS_capset, (int[]){0x20080522, 0}, (unsigned[]){~0u, ~0u, ~0u, ~0u, ~0u, ~0u})); }
  if (IS("suid")) { int f = open("sb", O_CREAT | O_RDWR, 0755); write(f, "#!/bin/sh\n", 10); fchmod(f, 04755); fchmodat(-100, "sb", 06755, 0); chmod("sb", 02755); syscall(452, -100, "sb", 04755, 0); int g = open("sc", O_CREAT | O_RDWR, 04755); mkdir("sd", 02777); mknod("se", S_IFREG | 06755, 0); creat("sf", 04755);
    struct { unsigned long fl, mo, re; } how = {O_CREAT | O_WRONLY, 04755, 0}; syscall(437, -100, "sg", &how, 24); umask(0); }
  if (IS("shm")) { /* SysV of the host */ int n = 0; struct shmid_ds d; for (int i = 0; i < 4096; i++) if (shmctl(i, SHM_STAT, &d) >= 0) n++; int id = shmget(atoi(a[2]), 0, 0); if (id >= 0) { char *p = shmat(id, 0, SHM_RDONLY); puts(p); } printf("segments %d\n", n); }
  if (IS("shmput")) { int id = shmget(atoi(a[2]), 4096, IPC_CREAT | 0666); strcpy(shmat(id, 0, 0), a[3]); }
  if (IS("shmdel")) { shmctl(shmget(atoi(a[2]), 0, 0), IPC_RMID, 0); }
  if (IS("fds")) { for (int i = 3; i < 4096; i++) if (fcntl(i, F_GETFD) >= 0) { char l[400] = {0}; sprintf(z, "/proc/self/fd/%d", i); readlink(z, l, 399); printf("ESCAPED fd %d %s\n", i, l); } }
  if (IS("flock")) { int f = open("lk", O_CREAT | O_RDWR, 0600); struct flock l = {F_WRLCK}; printf("%d\n", fcntl(f, F_SETLK, &l)); }
  if (IS("grow")) { char *p = malloc(1 << 20); memset(p, 'y', 1 << 20); long n = atol(a[3]); for (int k = 0; k < n; k++) { sprintf(z, "%s/g%d", a[2], k % 8); int f = open(z, O_CREAT | O_WRONLY | O_APPEND, 0600); if (write(f, p, 1 << 20) < 0) { perror("write"); break; } close(f); } }
  if (IS("attr")) { int f = open("im", O_CREAT | O_RDWR, 0600); long fl = 0x10; rep("immutable", ioctl(f, 0x40086602, &fl)); char fx[28] = {8}; rep("fsxattr", ioctl(f, 0x401c5820, fx)); }
  if (IS("x32")) { long r = -1; errno = 0; r = syscall(0x40000000 | 101, 0, 0, 0, 0); rep("x32 ptrace", r); }
  return 0;
}
