import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * `bin/node test/internals.ts`, a part of `npm run check`: Node and libraries are used by their documented interfaces
 * only. Finds the ways in which code reaches past them; each file that still does is named here, with its reason.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Each with what it reaches for. */
const WAYS: Readonly<Record<string, RegExp>> = {
  'a member that its owner calls private': /\._(?!_)[a-z]\w*/i,
  'a property by reflection': /\bReflect\.\w+\(|\bdefinePropert(?:y|ies)\(/,
  'listeners of another’s emitter': /\.listeners\(|\.removeAllListeners\('(?!message|error|exit)/,
  'Node’s own loader': /\b(?:registerHooks|getBuiltinModule)\b|\brequire\.cache\b|process\.binding/,
  'the inspector': /['"]node:inspector/,
  'a symbol of another’s registry': /\bSymbol\.for\(/,
  'what a type of its owner does not give': /\bas unknown as \{ (?!readonly \[)/,
  'a file inside a package': /['"](?:@[\w.-]+\/)?[\w-][\w.-]*\/(?:lib|src|dist|build|internal)\/[^'"]*['"]/,
}

/** The files that reach past an interface today. Taken out with the last place in them. */
const KNOWN: Readonly<Record<string, string>> = {
  'sdk/src/keep/folder.ts': 'none: the documented way for one file to run in Node and in browsers',
  'src/adapters/outbound/smtp/smtp-client.ts': 'none: lib/mail-composer is a documented module',
  'src/adapters/outbound/smtp/smtp-connection.ts': 'none: lib/smtp-connection is a documented module',
  'src/core/field/owntracks.ts': 'none: a key of OwnTracks’ JSON',
}

/** The ways in which this code reaches past an interface. Comments do not count. */
export function reachesIn(code: string): readonly string[] {
  const bare = code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  return Object.entries(WAYS).flatMap(([way, pattern]) => (pattern.test(bare) ? [way] : []))
}

/** What is wrong in the files named: a new reach, or an entry above that is no longer needed. */
function complaints(): readonly string[] {
  const files = globSync('{src,console,webapp,bin,build,sdk,examples}/**/*.{ts,tsx,js}', { cwd: ROOT }).filter(
    (file) => !file.includes('/browser/') && !file.startsWith('sdk/types/'),
  )
  const found = new Map(files.map((file) => [file, reachesIn(readFileSync(join(ROOT, file), 'utf8'))]))
  return [...found].flatMap(([file, ways]) => {
    const isKnown = file in KNOWN
    if (isKnown && ways.length === 0)
      return [`${file} uses documented interfaces only: take it out of test/internals.ts`]
    return isKnown ? [] : ways.map((way) => `${file} reaches for ${way}`)
  })
}

if (import.meta.main) {
  const wrong = complaints()
  for (const complaint of wrong) console.log(complaint)
  process.exitCode = wrong.length > 0 ? 1 : 0
}
