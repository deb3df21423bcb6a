#!/bin/sh
# kind: use
# holds: node child processes, workers, server
# want-exit: 0
. "$(dirname "$0")/facts.sh"
set -e
cat > t.mjs <<X
import {spawnSync,execSync,fork} from "node:child_process"; import {Worker} from "node:worker_threads"; import net from "node:net"; import fs from "node:fs"; import os from "node:os";
if(spawnSync("cat",{input:"q"}).stdout.toString()!=="q") process.exit(3);
execSync("true"); os.userInfo(); os.tmpdir(); new Worker("process.exit",{eval:true}).unref();
const s=net.createServer(c=>c.end("k")).listen(0,()=>net.connect(s.address().port).on("data",()=>s.close()).on("end",()=>0));
fs.watch(".",()=>0).close();
X
node t.mjs
