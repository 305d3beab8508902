set -u; cd target/gpu; export STM_TEST_DEVICE=cuda:0 STM_CACHE=/tmp/stmcache
[ -d ../nvrtc ] && export STM_NVRTC=$(cd ../nvrtc && find . -name 'libnvrtc.so*' | head -1 | xargs dirname | xargs realpath)
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader; nproc
t() { echo "== $*"; s=$(date +%s.%N); "$@"; rc=$?; e=$(date +%s.%N); echo "-- rc $rc $(echo "$e - $s" | bc) s"; }
B="./bank --device cuda:0 --accounts 2500000 --transactions 16777216"
for a in "--fill index --runs 15" "--procedures transfer --fill columns --runs 15" "--procedures transfer --engine priority --fill columns --runs 15" "--procedures transfer --fill push --runs 5"; do t timeout 60 $B $a --json; done 2>&1
t timeout 100 ./simulation --device cuda:0 --json 2>&1 | tail -3
t timeout 60 ./simulation --device cuda:0 --json --order pushed --steps 100 2>&1 | tail -3
t timeout 60 ./simulation --device cuda:0 --json --order pushed --steps 100 2>&1 | tail -3
t timeout 60 ./simulation --device cuda:0 --json --bits 8 --steps 50 --order pushed 2>&1 | tail -3
t timeout 60 ./simulation --device cpu --json --bits 8 --steps 50 --order pushed 2>&1 | tail -3
cp -r *.png $OUT/ 2>/dev/null
for w in 64 8; do t timeout 90 ./bench compare tpcc --device cuda:0 --warehouses $w --transactions 1000000 --engines plan,pushed --json; done > $OUT/tpcc.log 2>&1; tail -c 3000 $OUT/tpcc.log
for e in in-order in-rounds; do STM_TEST_ENGINE=$e t timeout 100 ./conformance > $OUT/conf-$e.log 2>&1; grep -a "FAIL\|fail\|rc " $OUT/conf-$e.log | tail -5; tail -2 $OUT/conf-$e.log; done
