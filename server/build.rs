//! What is linked for customers says each function once: generic code makes many that are the same to
//! the byte. Only where the linker is lld (`.cargo/config.toml`). Symbols are left out here, because
//! Cargo forgets the profile's `strip` for a package that has a profile of its own.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, wanted: &str| std::env::var(name).is_ok_and(|found| found == wanted);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
        if is("TARGET", "x86_64-unknown-linux-gnu") {
            println!("cargo::rustc-link-arg-bins=-Wl,--icf=all");
        }
    }
}
