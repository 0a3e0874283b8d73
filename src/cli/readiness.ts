import type { Command } from 'commander'
import { isPossibleNumber } from '../adapters/platform/system/phone-numbers.ts'
import { userReadinessView } from '../app/ready/readiness-view.ts'
import { type UserReadiness, userReadiness } from '../app/ready/user-readiness.ts'
import { unnamedEndsConcern } from '../app/user/unnamed-ends.ts'
import { siteFactsOf } from '../config/provider-channels.ts'
import { configWarnings } from '../config/warnings.ts'
import { onCallFindings, onCallSentence } from '../core/account/on-call-findings.ts'
import { publicUrlConcern } from '../core/account/public-url.ts'
import type { ReadinessStatus } from '../core/readiness/findings.ts'
import { publicUrlOf } from '../service/addresses.ts'
import { type Answer, table } from './answer.ts'
import { type Act, type CommandContext, findApplication } from './command-context.ts'

const PAGE_USERS = 100
/** At most this many users are listed by name; the rest are counted. */
const MAX_LISTED = 1000

/** `tocsin readiness`: who could not be helped today, and why. */
export function addReadinessCommand(program: Command, act: Act): void {
  program
    .command('readiness [app]')
    .description('who is ready for an emergency, and who could not be helped today')
    .option('--user <external-id>', 'one user of the application')
    .action(act(show))
}

async function show(
  context: CommandContext,
  appId: string | undefined,
  { user: externalUserId }: { readonly user?: string },
): Promise<Answer> {
  const { store, config, now } = context
  const site = siteFactsOf(config)
  const readiness = userReadiness({
    store,
    clock: { now: () => now },
    defaults: config.notifications.defaults,
    site: () => ({ ...site, isDown: false, isFailing: false }),
    isPossible: isPossibleNumber,
  })
  const unnamed = await unnamedEndsConcern(store, now)
  const onCall = onCallFindings(await store.onCall(), now).map(onCallSentence)
  const concerns = [...siteConcerns(config), ...(unnamed === null ? [] : [unnamed]), ...onCall]
  if (appId === undefined) {
    if (externalUserId !== undefined) return { refused: '--user needs the application: tocsin readiness APP --user …' }
    return ofMany(readiness, null, concerns)
  }
  const found = await findApplication(store, appId)
  if ('refused' in found) return found
  const { id, language } = found.application
  if (externalUserId === undefined) return ofMany(readiness, [id], concerns)
  const user = await store.userByExternalId(id, externalUserId)
  const one = user && (await readiness.ofUser(user.id))
  if (one === null) return { refused: 'the application has no such user' }
  return { json: userReadinessView(one, [language]), text: inWords(one, ['en']) }
}

/** Gaps in the configuration, which concern every user. */
function siteConcerns(config: CommandContext['config']): readonly string[] {
  const links = publicUrlConcern(publicUrlOf(config))
  return [...new Set([...(links === null ? [] : [links]), ...configWarnings(config)])]
}

async function ofMany(
  readiness: ReturnType<typeof userReadiness>,
  appIds: readonly string[] | null,
  concerns: readonly string[],
): Promise<Answer> {
  const counts: Record<ReadinessStatus, number> = { ready: 0, attention: 0, not_ready: 0 }
  const listed: UserReadiness[] = []
  let after: string | null = null
  do {
    const page = await readiness.page({ appIds, text: null, after, limit: PAGE_USERS }, false)
    for (const one of page.items) {
      counts[one.status] += 1
      if (one.status === 'not_ready' && listed.length < MAX_LISTED) listed.push(one)
    }
    after = page.after
  } while (after !== null)
  const notReady = listed.map((one) => userReadinessView(one, ['en']))
  const rows = notReady.map(({ externalUserId, name, findings }) => ({
    user: externalUserId,
    name,
    why: findings
      .filter(({ blocking }) => blocking)
      .map(({ text }) => text)
      .join(' '),
  }))
  const summary = `${counts.ready} ready, ${counts.attention} need attention, ${counts.not_ready} could not be helped today`
  const text = [summary, ...concerns, table(rows, 'Everyone could be helped today.')].join('\n')
  return { json: { counts, concerns, notReady }, text }
}

function inWords(one: UserReadiness, languages: readonly string[]): string {
  const { status, findings } = userReadinessView(one, languages)
  const lines = findings.map(({ blocking, text, remedy }) => `${blocking ? '!' : '-'} ${text} ${remedy}`)
  return [status.replace('_', ' '), ...lines].join('\n')
}
