import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationsOf, wholeDocument } from '../adapters/inbound/http/documented.ts'
import { runCommand } from '../harness/command-line.ts'

/** Not over the API: why. */
type Only = { readonly onlyHere: string }
const machine: Only = { onlyHere: 'it works on files of the machine, mostly while no service runs' }

/** Every command, and the routes under /v1/operator that do the same. */
const table: Readonly<Record<string, readonly string[] | Only>> = {
  start: machine,
  demo: machine,
  'app create': ['POST /applications'],
  'app list': ['GET /applications'],
  'app show': ['GET /applications/{id}'],
  'app update': ['PATCH /applications/{id}'],
  'app disable': ['PATCH /applications/{id}'],
  'app enable': ['PATCH /applications/{id}'],
  'app rotate-secret': ['POST /applications/{id}/secrets', 'DELETE /applications/{id}/secrets/older'],
  'app actuator set': ['PUT /applications/{id}/actuators/{type}'],
  'app actuator remove': ['DELETE /applications/{id}/actuators/{type}'],
  'app text set': ['PUT /applications/{id}/texts'],
  'app text remove': ['PUT /applications/{id}/texts'],
  'app text list': ['GET /applications/{id}/texts'],
  'user hash': { onlyHere: 'it signs with the secret of the application, which is shown once and never read back' },
  readiness: ['GET /readiness', 'GET /users/{id}/readiness'],
  'user list': ['GET /users'],
  'user show': ['GET /users/{id}'],
  'user disable': ['POST /users/{id}/disable'],
  'user enable': ['POST /users/{id}/enable'],
  'user add': ['POST /applications/{id}/users'],
  'user import': ['POST /people/import/preview', 'POST /people/import'],
  // Without --relay: a listed relay is trusted with the positions of others, so who runs the machine decides.
  'user update': ['PATCH /users/{id}'],
  'user erase': ['DELETE /users/{id}'],
  'user invite': ['POST /applications/{id}/app-invitations'],
  'user invitations': [
    'GET /applications/{id}/app-invitations',
    'POST /applications/{id}/app-invitations/{invitationId}/end',
    'GET /applications/{id}/app-invitations/{invitationId}/users',
    'POST /applications/{id}/app-invitations/{invitationId}/disable-users',
    'POST /applications/{id}/app-invitations/{invitationId}/enable-users',
  ],
  'user devices': ['GET /users/{id}/app-devices', 'DELETE /users/{id}/app-devices/{deviceId}'],
  'device register': ['POST /devices'],
  'device import': ['POST /devices/import'],
  'device list': ['GET /devices'],
  'device show': ['GET /devices/show'],
  'device pair': ['POST /devices/pair'],
  'device token': ['POST /devices/token', 'POST /devices/token/revoke'],
  'device watch': ['POST /devices/watch'],
  'device unpair': ['POST /devices/unpair'],
  'incident list': ['GET /incidents'],
  'incident show': ['GET /incidents/{id}'],
  'incident watch': ['GET /events'],
  // With --contact it speaks for a contact; over the API somebody answers for it by name.
  'incident acknowledge': ['POST /incidents/{id}/take', 'POST /incidents/{id}/untake'],
  'incident resolve': ['POST /incidents/{id}/resolve'],
  'incident alarm-now': ['POST /incidents/{id}/alarm-now'],
  'incident resume': ['POST /incidents/{id}/resume'],
  'contact add': ['POST /applications/{id}/contacts', 'POST /users/{id}/contacts'],
  'contact edit': ['PATCH /users/{id}/contacts/{contactId}'],
  'contact remove': ['DELETE /users/{id}/contacts/{contactId}'],
  'contact move': ['POST /users/{id}/contacts/order'],
  'contact verify': ['POST /users/{id}/contacts/{contactId}/verify'],
  'on-call show': ['GET /on-call'],
  'on-call person': ['PUT /on-call'],
  'on-call rotation': ['PUT /on-call'],
  'on-call override': ['POST /on-call/overrides'],
  'on-call remove-override': ['DELETE /on-call/overrides/{id}'],
  'on-call confirm': ['POST /on-call/confirm'],
  'drill start': ['POST /drills'],
  'drill report': ['GET /drills', 'GET /drills/{id}'],
  'drill end': ['POST /drills/end'],
  simulate: ['POST /simulate'],
  'timer list': ['GET /timers', 'GET /users/{id}/timers'],
  'timer set': ['POST /users/{id}/timers'],
  'timer extend': ['PATCH /users/{id}/timers/{timerId}'],
  'timer end': ['DELETE /users/{id}/timers/{timerId}'],
  'notify test': ['POST /applications/{id}/test'],
  'outbox list': ['GET /outbox'],
  'dead-letter list': ['GET /dead-letters'],
  'feedback list': ['GET /feedback'],
  'operator add': ['POST /operators'],
  'operator list': ['GET /operators'],
  'operator invite': ['POST /operators/{id}/invitation'],
  // How many, in the list: names of devices are their owner's.
  'operator passkeys': ['GET /operators', 'DELETE /operators/{id}/passkeys'],
  'operator disable': ['PATCH /operators/{id}'],
  'operator enable': ['PATCH /operators/{id}'],
  'audit list': ['GET /audit'],
  clock: ['GET /clock'],
  'clock accept': ['POST /clock/accept'],
  doctor: ['GET /doctor'],
  'node list': ['GET /nodes'],
  'node drain': ['POST /nodes/{id}/drain'],
  backup: machine,
  restore: machine,
  'store compact': machine,
  'store copy': machine,
  'store reopen': machine,
  'store restored': machine,
  'config check': machine,
  'config export': ['GET /setup'],
  health: ['GET /health'],
  'tls show': machine,
}

/** The commands that somebody can run, by the help. */
async function commandsUnder(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await runCommand({}, [...words, '--help'])
  const [, listed = ''] = stdout.split('\nCommands:\n')
  const below = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, word]) => word!).filter((word) => word !== 'help')
  if (below.length === 0) return [words.join(' ')]
  const found = await Promise.all(below.map((word) => commandsUnder(...words, word)))
  // One that does something by itself, too.
  const own = words.length > 0 && table[words.join(' ')] !== undefined ? [words.join(' ')] : []
  return [...own, ...found.flat()]
}

test('what the command line can do, the operator API can, or it says why not', async () => {
  assert.deepEqual([...(await commandsUnder())].sort(), Object.keys(table).sort())
  const { paths } = await wholeDocument()
  const operations = new Set(operationsOf(paths).map(({ name }) => name))
  for (const [command, routes] of Object.entries(table)) {
    if ('onlyHere' in routes) continue
    for (const route of routes) {
      const [method, path] = route.split(' ')
      assert.ok(operations.has(`${method} /v1/operator${path}`), `${command}: there is no ${route}`)
    }
  }
})
