set -u; cd target/gpu; export STM_CACHE=/tmp/stmcache
t() { echo "== $*"; local s=$SECONDS; timeout 90 "$@"; echo "-- rc $? $((SECONDS - s)) s"; }
B="--device cuda:0 --accounts 2500000 --transactions 16777216"
q() { python3 -c "
import json,sys
for l in sys.stdin:
  if l.startswith('{'):
    j=json.loads(l); print(j.get('engine',''),j['committed'],j['unresolved'],'fill',j['filling'],j['runs'],j['times'])
  else: print(l[:200].rstrip())"; }
t ./bankt $B --procedures transfer --fill columns --runs 6 --json 2>&1 | q
t ./bank $B --procedures transfer --fill columns --runs 15 --json 2>&1 | q
t ./bank $B --procedures transfer --engine priority --fill columns --runs 15 --json 2>&1 | q
t ./bank $B --fill index --runs 15 --json 2>&1 | q
t ./bank $B --procedures transfer --fill push --runs 6 --json 2>&1 | q
cat /sys/kernel/mm/transparent_hugepage/enabled; lscpu | grep -E "Model name|MHz|L2|L3"
t ./filling 16000000 4 2>&1 | tail -8
for i in 1 2; do t ./simulation --device cuda:0 --json --order pushed --steps 100 2>&1 | cut -c1-600; done
for d in cuda:0 cpu; do t ./simulation --device $d --json --bits 8 --steps 50 --order pushed 2>&1 | cut -c1-600; done
t ./bench compare tpcc --device cuda:0 --warehouses 8 --transactions 1000000 --engines plan,pushed
t ./bench compare transfers --device cuda:0 --transactions 1000000 --engines plan,pushed
t ./bench compare smallbank --device cuda:0 --transactions 1000000 --engines plan,pushed
t ./bench compare vacation --device cuda:0 --engines plan,pushed
