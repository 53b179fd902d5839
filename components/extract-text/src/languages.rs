//! Programming languages by file name and first line.

/// Extension and the name that stands after a code fence.
const EXTENSIONS: &[(&str, &str)] = &[
    ("ada", "ada"),
    ("adb", "ada"),
    ("ads", "ada"),
    ("applescript", "applescript"),
    ("asm", "asm"),
    ("awk", "awk"),
    ("bash", "bash"),
    ("bat", "batch"),
    ("bib", "bibtex"),
    ("bzl", "python"),
    ("c", "c"),
    ("cc", "cpp"),
    ("cfg", "ini"),
    ("cjs", "javascript"),
    ("cl", "lisp"),
    ("clj", "clojure"),
    ("cljs", "clojure"),
    ("cmake", "cmake"),
    ("cmd", "batch"),
    ("coffee", "coffeescript"),
    ("conf", "ini"),
    ("cpp", "cpp"),
    ("cr", "crystal"),
    ("cs", "csharp"),
    ("css", "css"),
    ("csx", "csharp"),
    ("cue", "cue"),
    ("cxx", "cpp"),
    ("d", "d"),
    ("dart", "dart"),
    ("desktop", "ini"),
    ("dhall", "dhall"),
    ("diff", "diff"),
    ("dot", "dot"),
    ("edn", "clojure"),
    ("el", "elisp"),
    ("elm", "elm"),
    ("env", "ini"),
    ("erl", "erlang"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("f", "fortran"),
    ("f90", "fortran"),
    ("f95", "fortran"),
    ("fish", "fish"),
    ("fs", "fsharp"),
    ("fsx", "fsharp"),
    ("glsl", "glsl"),
    ("go", "go"),
    ("gradle", "groovy"),
    ("graphql", "graphql"),
    ("groovy", "groovy"),
    ("gql", "graphql"),
    ("h", "c"),
    ("hcl", "hcl"),
    ("hh", "cpp"),
    ("hpp", "cpp"),
    ("hrl", "erlang"),
    ("hs", "haskell"),
    ("hxx", "cpp"),
    ("ini", "ini"),
    ("ino", "cpp"),
    ("java", "java"),
    ("jl", "julia"),
    ("js", "javascript"),
    ("jsx", "jsx"),
    ("kt", "kotlin"),
    ("kts", "kotlin"),
    ("less", "less"),
    ("lisp", "lisp"),
    ("lua", "lua"),
    ("m", "objectivec"),
    ("mak", "makefile"),
    ("mjs", "javascript"),
    ("mk", "makefile"),
    ("ml", "ocaml"),
    ("mli", "ocaml"),
    ("mm", "objectivec"),
    ("nim", "nim"),
    ("nix", "nix"),
    ("nu", "nu"),
    ("pas", "pascal"),
    ("patch", "diff"),
    ("php", "php"),
    ("pl", "perl"),
    ("pm", "perl"),
    ("plantuml", "plantuml"),
    ("pp", "puppet"),
    ("prisma", "prisma"),
    ("pro", "prolog"),
    ("properties", "properties"),
    ("proto", "protobuf"),
    ("ps1", "powershell"),
    ("psm1", "powershell"),
    ("puml", "plantuml"),
    ("purs", "purescript"),
    ("py", "python"),
    ("pyi", "python"),
    ("pyw", "python"),
    ("r", "r"),
    ("rake", "ruby"),
    ("rb", "ruby"),
    ("rkt", "racket"),
    ("rs", "rust"),
    ("s", "asm"),
    ("sass", "sass"),
    ("sbt", "scala"),
    ("scala", "scala"),
    ("scm", "scheme"),
    ("scss", "scss"),
    ("service", "ini"),
    ("sh", "bash"),
    ("sol", "solidity"),
    ("sql", "sql"),
    ("styl", "stylus"),
    ("svelte", "svelte"),
    ("sv", "systemverilog"),
    ("swift", "swift"),
    ("tcl", "tcl"),
    ("tf", "hcl"),
    ("thrift", "thrift"),
    ("toml", "toml"),
    ("ts", "typescript"),
    ("tsx", "tsx"),
    ("typ", "typst"),
    ("v", "verilog"),
    ("vb", "vbnet"),
    ("vhd", "vhdl"),
    ("vhdl", "vhdl"),
    ("vim", "vim"),
    ("vue", "vue"),
    ("wat", "wat"),
    ("wit", "wit"),
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("zig", "zig"),
    ("zsh", "bash"),
];

/// Whole file names in lower case.
const NAMES: &[(&str, &str)] = &[
    ("brewfile", "ruby"),
    ("build.bazel", "python"),
    ("cmakelists.txt", "cmake"),
    ("containerfile", "dockerfile"),
    ("dockerfile", "dockerfile"),
    ("gemfile", "ruby"),
    ("gnumakefile", "makefile"),
    ("go.mod", "go"),
    ("jenkinsfile", "groovy"),
    ("justfile", "just"),
    ("makefile", "makefile"),
    ("procfile", "yaml"),
    ("rakefile", "ruby"),
    ("vagrantfile", "ruby"),
    ("workspace.bazel", "python"),
    (".bashrc", "bash"),
    (".editorconfig", "ini"),
    (".gitconfig", "ini"),
    (".gitignore", "gitignore"),
    (".profile", "bash"),
    (".vimrc", "vim"),
    (".zshrc", "bash"),
    (".env", "ini"),
];

/// Programs after `#!` and what they read.
const PROGRAMS: &[(&str, &str)] = &[
    ("awk", "awk"),
    ("bash", "bash"),
    ("bun", "javascript"),
    ("dash", "bash"),
    ("deno", "typescript"),
    ("fish", "fish"),
    ("gawk", "awk"),
    ("guile", "scheme"),
    ("julia", "julia"),
    ("ksh", "bash"),
    ("lua", "lua"),
    ("make", "makefile"),
    ("node", "javascript"),
    ("nodejs", "javascript"),
    ("nu", "nu"),
    ("osascript", "applescript"),
    ("perl", "perl"),
    ("php", "php"),
    ("pwsh", "powershell"),
    ("python", "python"),
    ("racket", "racket"),
    ("rscript", "r"),
    ("ruby", "ruby"),
    ("sh", "bash"),
    ("tclsh", "tcl"),
    ("zsh", "bash"),
];

fn find(known: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    known
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, language)| *language)
}

/// The language of the file called `name` that begins with `head`.
pub(crate) fn of(name: &str, head: &str) -> Option<&'static str> {
    let name = name.to_lowercase();
    if let Some(language) = find(NAMES, &name) {
        return Some(language);
    }
    if let Some((stem, extension)) = name.rsplit_once('.')
        && !stem.is_empty()
        && let Some(language) = find(EXTENSIONS, extension)
    {
        return Some(language);
    }
    if name.starts_with("dockerfile.") {
        return Some("dockerfile");
    }
    by_first_line(head)
}

fn by_first_line(head: &str) -> Option<&'static str> {
    let command = head.lines().next()?.strip_prefix("#!")?;
    let mut words = command.split_whitespace();
    let mut program = base(words.next()?);
    if program == "env" {
        program = base(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    let program = program.to_lowercase();
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    find(PROGRAMS, bare)
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_name_and_first_line() {
        assert_eq!(of("main.rs", ""), Some("rust"));
        assert_eq!(of("Makefile", ""), Some("makefile"));
        assert_eq!(of("Dockerfile.dev", ""), Some("dockerfile"));
        assert_eq!(
            of("run", "#!/usr/bin/env -S python3.12 -u\n"),
            Some("python")
        );
        assert_eq!(of("run", "#!/bin/sh\n"), Some("bash"));
        assert_eq!(of("notes", "# not a shebang"), None);
        assert_eq!(of(".rs", ""), None);
    }
}
