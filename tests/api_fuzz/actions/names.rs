//! Engines, parameters and kernels by name.

use stm_runtime::{Engine, Selection};
use stm_tests::draw::Draw;

use crate::procedures::ALL;
use crate::world::{Checked, World, must};

/// Texts that are not names of engines.
const NO_ENGINES: &[&str] = &[
    "",
    "(",
    ")",
    "quick",
    "priority(",
    "priority()",
    "jvstm(versions)",
    "jvstm(versions=)",
    "jvstm(versions=1e3)",
    "jvstm(versions=8,versions=8)",
    "serial(a=1)",
    "csmv(,)",
    "auto()",
    "auto",
    " priority ",
    "PRIORITY",
    "jvstm(versions=18446744073709551616)",
    "jvstm(versions=-0)",
    "local(=)",
    "\u{1f4a5}",
];

/// Returns a similar text: some characters are left out, doubled, or replaced.
pub(super) fn spoil(text: &str, draw: &mut Draw) -> String {
    let others = [':', '@', '(', ')', '=', ',', '0', '9', '-', ' ', '\n', '\0', 'x', '\u{e9}', '\u{10ffff}', '"'];
    let mut spoilt: Vec<char> = text.chars().collect();
    for _ in 0..1 + draw.below(3) {
        let at = draw.below(spoilt.len() + 1);
        match draw.below(4) {
            0 if at < spoilt.len() => drop(spoilt.remove(at)),
            1 if at < spoilt.len() => spoilt[at] = *draw.pick(&others),
            2 if at < spoilt.len() => spoilt.truncate(at),
            _ => spoilt.insert(at.min(spoilt.len()), *draw.pick(&others)),
        }
    }
    spoilt.into_iter().collect()
}

/// Returns the name of an engine, sometimes with parameters, or a similar name.
pub(super) fn engine(draw: &mut Draw) -> String {
    let engine = *draw.pick(Engine::ALL);
    let parameters: Vec<_> = engine.parameters().collect();
    let mut name = match parameters.is_empty() || draw.chance(500) {
        true => engine.to_string(),
        false => {
            let (parameter, _) = draw.pick(&parameters);
            let value = parameter.least + draw.bits() % (parameter.most - parameter.least + 1);
            format!("{engine}({}={value})", parameter.name)
        }
    };
    if draw.chance(150) {
        name = (*draw.pick(NO_ENGINES)).to_owned();
    }
    if draw.chance(150) { spoil(&name, draw) } else { name }
}

/// Parses names of engines. The printed form of an accepted name must be accepted, too.
pub(super) fn engines(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let name = engine(draw);
    world.call(format!("{name:?}.parse::<Engine>()"));
    match name.parse::<Engine>() {
        Ok(engine) => {
            let again = engine.to_string().parse::<Engine>();
            must!(again == Ok(engine), "{name:?} is {engine}, and that is {again:?}");
            must!(!engine.summary().is_empty() && !format!("{engine:?}").is_empty(), "{engine} says nothing");
        }
        Err(why) => must!(!why.to_string().is_empty(), "an error without words"),
    }
    let selection = name.parse::<Selection>();
    let is_known = ["auto", "plan"].contains(&name.trim()) || name.parse::<Engine>().is_ok();
    must!(selection.is_ok() == is_known, "{name:?}: {selection:?}");
    let none = Selection::among([]);
    must!(none.to_string() == Selection::default().to_string(), "a tuning among no engines is {none}");
    Ok(())
}

/// Sets parameters to values at their bounds and beyond.
pub(super) fn parameters(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let engine = *draw.pick(Engine::ALL);
    world.call(format!("the parameters of {engine}"));
    for (parameter, _) in engine.parameters() {
        let values = [0, 1, parameter.least, parameter.most, parameter.most.wrapping_add(1), u64::MAX, draw.bits()];
        let value = *draw.pick(&values);
        let is_good = (parameter.least..=parameter.most).contains(&value);
        let set = engine.with(parameter.name, value);
        must!(set.is_ok() == is_good, "{parameter} cannot be {value}: {set:?}");
    }
    let name = spoil("versions", draw);
    let known = engine.parameters().any(|(parameter, _)| parameter.name == name);
    must!(engine.with(&name, 8).is_ok() == known, "{engine} has a parameter {name:?}");
    Ok(())
}

/// Calls every accessor of a kernel.
pub(super) fn kernels(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let procedure = draw.pick(&ALL);
    let kernel = (procedure.kernel)();
    let engine = *draw.pick(Engine::ALL);
    world.call(format!("the kernel of {} for {engine}", procedure.name));
    let has_text = |text: Result<String, stm_runtime::Error>| match text {
        Ok(text) if text.len() > 10 => Ok(()),
        other => Err(format!("the kernel of {}: {other:?}", procedure.name)),
    };
    has_text(kernel.facts().map(|facts| format!("{facts} {facts:?}")))?;
    has_text(kernel.snapshot())?;
    has_text(kernel.cuda_body().map(str::to_owned))?;
    has_text(kernel.cuda_source())?;
    has_text(Ok(format!("{kernel:?} {}", kernel.name())))?;
    match kernel.cuda_source_for(engine) {
        // An engine for partitions accepts no other arrays.
        Err(_) if engine.spec().requires.partitions => Ok(()),
        text => has_text(text),
    }
}
