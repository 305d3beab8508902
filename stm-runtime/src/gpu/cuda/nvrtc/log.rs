//! Reading the logs of the compiler and the driver.

/// Registers of each thread, and spilled bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::gpu::cuda) struct Usage {
    pub(in crate::gpu::cuda) registers: u32,
    pub(in crate::gpu::cuda) spills: u32,
}

/// Returns the maximum over the unit's kernels, from the assembler's `-v` lines, or the linker's.
pub(in crate::gpu::cuda) fn usage(log: &str) -> Usage {
    let mut most = Usage::default();
    for line in log.lines() {
        if let Some(registers) = number_before(line, " registers") {
            most.registers = most.registers.max(registers);
        }
        let stores = number_before(line, " bytes spill stores");
        let loads = number_before(line, " bytes spill loads");
        if stores.is_some() || loads.is_some() {
            most.spills = most.spills.max(stores.unwrap_or(0) + loads.unwrap_or(0));
        }
    }
    most
}

/// Returns the lines that report errors.
pub(super) fn errors(log: &str) -> Vec<String> {
    let lines: Vec<String> = log.lines().filter(|line| is_error(line)).map(|line| line.trim().to_owned()).collect();
    if lines.is_empty() { vec![log.trim().to_owned()] } else { lines }
}

/// Returns the lines that report warnings.
pub(super) fn warnings(log: &str) -> Vec<String> {
    log.lines()
        .filter(|line| line.contains("): warning") || line.starts_with("ptxas warning"))
        .map(|line| line.trim().to_owned())
        .collect()
}

/// Returns the text up to the first zero byte; the bytes after it have not been written.
pub(in crate::gpu::cuda) fn until_zero(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

fn is_error(line: &str) -> bool {
    line.contains("): error")
        || line.contains("): catastrophic error")
        || line.starts_with("ptxas fatal")
        || line.starts_with("ptxas error")
}

fn number_before(line: &str, word: &str) -> Option<u32> {
    let head = &line[..line.find(word)?];
    let digits = head.len() - head.bytes().rev().take_while(u8::is_ascii_digit).count();
    head[digits..].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_is_the_most_of_all_kernels() {
        let log = "ptxas info    : Function properties for a\n    0 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
                   ptxas info    : Used 18 registers, used 0 barriers\nptxas info    : Used 40 registers, used 0 barriers\n";
        assert_eq!(usage(log), Usage { registers: 40, spills: 20 });
        assert_eq!(usage(""), Usage::default());
    }

    #[test]
    fn errors_come_without_the_source_lines() {
        let log = "src/bank.rs(41): error: identifier \"y\" is undefined\n    y = 3;\n    ^\n\n1 error detected\n";
        assert_eq!(errors(log), ["src/bank.rs(41): error: identifier \"y\" is undefined"]);
        assert_eq!(errors("something else\n"), ["something else"]);
    }

    #[test]
    fn a_text_ends_at_its_first_zero_byte() {
        assert_eq!(until_zero(b" words\n\0old words\0"), " words\n");
        assert_eq!(until_zero(b"no zero byte"), "no zero byte");
        assert_eq!(until_zero(b""), "");
    }

    #[test]
    fn warnings_are_found_in_a_log_of_success() {
        let log = "a.rs(3): warning #177-D: variable\n  x\nptxas info : Used 3 registers\nptxas warning : spilled\n";
        assert_eq!(warnings(log), ["a.rs(3): warning #177-D: variable", "ptxas warning : spilled"]);
    }
}
