import { isBlockedTarget, systemResolve } from '../adapters/outbound/http/address-guard.ts'
import { lanHosts } from '../adapters/outbound/http/lan-hosts.ts'
import { whyNotPasted } from '../adapters/platform/tls/pasted-pair.ts'
import type { Config } from '../config.ts'
import type { FieldProblem } from '../core/ingest/fields.ts'
import type { SettingValues } from '../ports/console-setup.ts'
import type { Certificates } from './certificates.ts'

/** Checks of the console's certificate beyond its schema. `now`: epoch ms. */
export const certificateProblems = (values: SettingValues, base: Config, now: number): readonly FieldProblem[] => [
  ...plainDirectory(values),
  ...badPair(values, base, now),
]

/** Plain HTTP to this machine is for a CA in a test: from the console it would reach whatever listens here. */
const plainDirectory = ({ 'acme.directory': url }: SettingValues): readonly FieldProblem[] =>
  typeof url === 'string' && /^http:/i.test(url.trim())
    ? [{ field: 'acme.directory', message: 'must be an https address' }]
    : []

function badPair({ 'tls.pem': text }: SettingValues, { tls }: Config, now: number): readonly FieldProblem[] {
  if (typeof text !== 'string') return []
  const why = tls.cert === null ? whyNotPasted(text, now) : 'must not be set with tls.cert: a site has one certificate'
  return why === null ? [] : [{ field: 'tls.pem', message: why }]
}

/** A CA in the local network needs its host in `notifications.lanHosts`: its errors would tell what listens there. */
export async function directoryProblems(values: SettingValues, next: Config): Promise<readonly FieldProblem[]> {
  const { allowPrivateTargets, lanHosts: hosts } = next.notifications
  const url = values['acme.directory']
  if (typeof url !== 'string' || allowPrivateTargets) return []
  if (!(await isBlockedTarget(url.trim(), systemResolve(), lanHosts(hosts)))) return []
  return [
    { field: 'acme.directory', message: 'is not a public address: list its host in notifications.lanHosts first' },
  ]
}

/** Tries whether the port where a CA asks can be opened on this machine. `next`: the configuration to be. */
export async function portProblems(
  values: SettingValues,
  next: Config,
  { whyNoPort }: Pick<Certificates, 'whyNoPort'>,
): Promise<readonly FieldProblem[]> {
  const asked = values['acme.enabled'] ?? values['http.acmePort'] ?? null
  const why = asked === null ? null : await whyNoPort(next)
  return why === null ? [] : [{ field: 'http.acmePort', message: why }]
}
