//! Just enough Rust to tell code from comments and strings.
//!
//! A full parser would be slower to build than everything it checks. Known limit: a macro body is
//! read as ordinary code.

/// Two texts of the same shape: blanks stand where the other one has content.
#[derive(Debug, PartialEq, Eq)]
pub struct Split {
    pub code: String,
    pub literals: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    LineComment,
    BlockComment(usize),
    Text,
    RawText(usize),
}

/// Separates code from string contents; comments and character literals end up in neither.
pub fn split(text: &str) -> Split {
    let chars: Vec<char> = text.chars().collect();
    let (mut code, mut literals) = (String::new(), String::new());
    let (mut state, mut i) = (State::Code, 0);
    while i < chars.len() {
        let (next, length) = step(state, &chars[i..], i.checked_sub(1).map(|at| chars[at]));
        let visible = if next == State::Code && state == State::Code { length } else { 0 };
        let inside = matches!(state, State::Text | State::RawText(_)) && next == state;
        for (offset, c) in chars[i..i + length].iter().enumerate() {
            let blank = if *c == '\n' { '\n' } else { ' ' };
            let shown = offset < visible && !(length > 1 && chars[i] == '\'');
            code.push(if shown { *c } else { blank });
            literals.push(if inside { *c } else { blank });
        }
        state = next;
        i += length;
    }
    Split { code, literals }
}

/// What [`split`] left out: comments, and the quotes around literals.
pub fn comments(text: &str) -> String {
    let Split { code, literals } = split(text);
    let seen = code.chars().zip(literals.chars());
    let kept = |(c, seen)| if seen == (' ', ' ') || c == '\n' { c } else { ' ' };
    text.chars().zip(seen).map(kept).collect()
}

/// The state after the next token and how many characters it takes.
fn step(state: State, rest: &[char], before: Option<char>) -> (State, usize) {
    let starts = |token: &str| token.chars().enumerate().all(|(i, c)| rest.get(i) == Some(&c));
    match state {
        State::Code if starts("//") => (State::LineComment, 2),
        State::Code if starts("/*") => (State::BlockComment(1), 2),
        State::Code if rest[0] == '"' => (State::Text, 1),
        State::Code if rest[0] == '\'' => (State::Code, character_literal(rest)),
        State::Code => match raw_opening(rest, before) {
            Some((hashes, length)) => (State::RawText(hashes), length),
            None => (State::Code, 1),
        },
        State::LineComment if rest[0] == '\n' => (State::Code, 1),
        State::LineComment => (State::LineComment, 1),
        State::BlockComment(depth) if starts("/*") => (State::BlockComment(depth + 1), 2),
        State::BlockComment(1) if starts("*/") => (State::Code, 2),
        State::BlockComment(depth) if starts("*/") => (State::BlockComment(depth - 1), 2),
        State::BlockComment(depth) => (State::BlockComment(depth), 1),
        State::Text if rest[0] == '\\' => (State::Text, rest.len().min(2)),
        State::Text if rest[0] == '"' => (State::Code, 1),
        State::Text => (State::Text, 1),
        State::RawText(hashes) => {
            let closes = rest[0] == '"' && (1..=hashes).all(|i| rest.get(i) == Some(&'#'));
            if closes { (State::Code, hashes + 1) } else { (State::RawText(hashes), 1) }
        }
    }
}

/// `r"`, `r#"`, `br##"`: how many hashes and how long the opening is.
fn raw_opening(rest: &[char], before: Option<char>) -> Option<(usize, usize)> {
    if rest[0] != 'r' || before.is_some_and(|c| (c.is_alphanumeric() && c != 'b') || c == '_') {
        return None;
    }
    let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
    (rest.get(1 + hashes) == Some(&'"')).then_some((hashes, hashes + 2))
}

/// The length of a character literal, or 1 when the quote starts a lifetime.
fn character_literal(rest: &[char]) -> usize {
    match rest.get(1) {
        Some('\\') => rest[2..].iter().skip(1).position(|c| *c == '\'').map_or(1, |at| at + 4),
        Some(_) if rest.get(2) == Some(&'\'') => 3,
        _ => 1,
    }
}

/// Blanks `#[cfg(test)] mod … { … }` in code that went through [`split`].
pub fn without_tests(code: &str) -> String {
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find("#[cfg(test)]") {
        out.push_str(&rest[..at]);
        let end = at + block_length(&rest[at..]);
        out.extend(rest[at..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[end..];
    }
    out + rest
}

/// Up to the brace that closes the first one, or the semicolon of an item without a body.
fn block_length(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        split(text).code.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn literals(text: &str) -> String {
        split(text).literals.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_are_neither_code_nor_text() {
        assert_eq!(code("a // async\nb /* x /* y */ z */ c"), "a b c");
        assert_eq!(literals("a // \"async\"\nb"), "");
    }

    #[test]
    fn comments_keep_their_lines() {
        let words = |text| comments(text).replace('"', "").split_whitespace().collect::<String>();
        assert_eq!(words("a // b\nc(\"d\") /* e\n */"), "//b/*e*/");
        assert_eq!(comments("a\n// b\n").lines().nth(1), Some("// b"));
    }

    #[test]
    fn strings_are_text() {
        assert_eq!(literals(r#"f("select \" now()"); g"#), r#"select \" now()"#);
        assert_eq!(code(r#"f("async"); g"#), "f( ); g");
        assert_eq!(literals("r#\"one \"two\" three\"# x"), "one \"two\" three");
        assert_eq!(code("let var\"x\""), "let var");
    }

    #[test]
    fn quotes_of_characters_and_lifetimes_do_not_open_strings() {
        assert_eq!(
            code(r#"let q = '"'; fn f<'a>(x: &'a str) {}"#),
            "let q = ; fn f<'a>(x: &'a str) {}"
        );
        assert_eq!(code(r"let n = '\n'; let q = '\''; after"), "let n = ; let q = ; after");
    }

    #[test]
    fn lines_keep_their_numbers() {
        let text = "a\n\"x\ny\"\n/* \n */ b\n";
        assert_eq!(split(text).code.lines().count(), text.lines().count());
    }

    #[test]
    fn test_modules_are_blanked_and_what_follows_stays() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() { rand(); }\n}\nfn c() {}\n";
        let seen = without_tests(text);
        assert!(!seen.contains("rand") && seen.contains("fn c()"));
        assert!(without_tests("#[cfg(test)]\nmod tests;\nfn d() {}").contains("fn d()"));
    }
}
