import { readFileSync } from 'node:fs'
import { descriptorsOf } from './machine.ts'

/** Descriptors that a process needs besides its connections: listeners, files, the pressers. */
const OTHER_DESCRIPTORS = 1000

/** How many of the `wanted` connections fit, here and in the service, and a note for the operator if not all do. */
export function roomFor(wanted: number, pid: number): { readonly count: number; readonly tooFew: string | null } {
  const descriptors = Math.min(descriptorsOf(pid) ?? Infinity, descriptorsOf(process.pid) ?? Infinity)
  const count = Math.max(0, Math.min(wanted, descriptors - OTHER_DESCRIPTORS))
  return { count, tooFew: count < wanted ? tooFewDescriptors(wanted, count, descriptors) : null }
}

const tooFewDescriptors = (wanted: number, count: number, descriptors: number): string =>
  `Too few file descriptors for ${wanted.toLocaleString('en')} connections: a process may have ${descriptors.toLocaleString('en')} here, so ${count.toLocaleString('en')} are made. ` +
  `Say \`ulimit -n ${unitLimit()}\` first, as root; the installed unit allows that many.`

/** Read from the unit, so that the number is in one place. */
function unitLimit(): string {
  const unit = readFileSync(new URL('../systemd/tocsin.service', import.meta.url), 'utf8')
  return /^LimitNOFILE=(\d+)$/m.exec(unit)?.[1] ?? ''
}
