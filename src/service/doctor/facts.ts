import { statSync } from 'node:fs'
import { openLink, reach } from '../../adapters/outbound/doctor/reach.ts'
import { publicGuard } from '../../adapters/outbound/http/guarded-socket.ts'
import { lanHosts } from '../../adapters/outbound/http/lan-hosts.ts'
import { checkAccount } from '../../adapters/outbound/twilio/check-account.ts'
import { openMapFiles } from '../../adapters/platform/map/map-files.ts'
import { freeBytesAt, syncMsAt } from '../../adapters/platform/system/disk-speed.ts'
import type { TlsInfo } from '../../adapters/platform/tls/info.ts'
import { reserveFileOf } from '../../adapters/stores/sqlite/files/disk-reserve.ts'
import { lookAtDatabase, quickCheck } from '../../adapters/stores/sqlite/upkeep/quick-check.ts'
import { NotExamined } from '../../app/doctor/examine.ts'
import type { FactSources, FactsOf } from '../../app/doctor/subjects.ts'
import { knownBackups } from '../../app/operator/backups.ts'
import { mailServerOf } from '../../config/mail-server.ts'
import { trackingLinkConcern } from '../../config/public-address.ts'
import { writtenIn } from '../../config/settings.ts'
import type { Config } from '../../config.ts'
import { publicUrlConcern, publicUrlFinding } from '../../core/account/public-url.ts'
import { isSiteAdministrator } from '../../core/operator/operator.ts'
import type { Store } from '../../ports/store.ts'
import { diskReserveBytes } from '../storage.ts'

/** The sources of the store's facts. */
type DoctorStore = Pick<Store, 'lastAudited' | 'applications' | 'drills' | 'operators'>

type ModemFacts = Extract<FactsOf<'providers'>[number], { name: 'modem' }>

type Needs = {
  readonly config: Config
  readonly publicUrl: () => string
  /** Rejects with `NotExamined` where it cannot be read. */
  readonly store: () => Promise<DoctorStore>
  /** By the clock of the store. */
  readonly now: () => Promise<number>
  readonly modem: () => Promise<ModemFacts>
  /** Rejects with a sentence for the operator. Null: the data is in SQLite. */
  readonly server: (() => Promise<ServerLook>) | null
}

type ServerLook = Awaited<ReturnType<typeof import('../../adapters/stores/postgres/look-at-server.ts').lookAtServer>>

type Shared = 'address' | 'disk' | 'store' | 'providers' | 'backup' | 'map' | 'drill' | 'administrators'

/** The sources that are the same in the service and beside it. */
export function sharedSources({ config, publicUrl, store, now, modem, server }: Needs): Pick<FactSources, Shared> {
  return {
    address: () => addressFacts(config, publicUrl()),
    disk: () => diskFacts(config),
    store: () => (server === null ? databaseFacts(config) : serverFacts(server)),
    providers: () =>
      Promise.all([
        ...config.notifications.providers.map((name) => providerFacts(name, config, modem)),
        ...mailFacts(config),
      ]),
    async backup() {
      const moment = await now()
      const isOwn = config.store.url === null
      const known = await knownBackups({ store: await store(), clock: { now: () => moment }, isOwn })()
      return { ...known, lastAt: known.last === null ? null : Date.parse(known.last.at), now: moment }
    },
    map: () => mapFacts(config),
    drill: async () => ({ lastAt: await lastDrillAt(await store()), now: await now() }),
    administrators: config.console.enabled ? async () => administratorFacts(await store()) : null,
  }
}

async function addressFacts(config: Config, url: string): Promise<FactsOf<'address'>> {
  const concern = trackingLinkConcern(config) ?? publicUrlConcern(url)
  const isLocal = publicUrlFinding(url) === 'public_url_loopback'
  const isSent = config.smtp.url !== null || config.notifications.providers.some((provider) => provider !== 'outbox')
  return { url, isSent, concern, link: isLocal ? null : await openLink(url) }
}

async function diskFacts({ dataDir, store, limits }: Config): Promise<FactsOf<'disk'>> {
  const isHere = store.url === null
  const held = statSync(reserveFileOf(dataDir), { throwIfNoEntry: false })
  const wantedBytes = diskReserveBytes(limits)
  try {
    return {
      directory: dataDir,
      freeBytes: await freeBytesAt(dataDir),
      syncMs: isHere ? await syncMsAt(dataDir) : null,
      reserve: isHere && held !== undefined ? { wantedBytes, heldBytes: held.size } : null,
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new NotExamined(code === 'ENOENT' ? `there is no ${dataDir} yet` : `${dataDir} cannot be read (${code})`)
  }
}

/** Damage shows in the check, or already on opening. */
async function databaseFacts({ dataDir }: Config): Promise<FactsOf<'store'>> {
  try {
    const seen = lookAtDatabase(dataDir)
    if (seen === null) return { kind: 'none', directory: dataDir }
    return { kind: 'sqlite', ...seen, ...(await quickCheck(dataDir)) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { kind: 'unusable', why: `the database in ${dataDir} cannot be read: ${message}` }
  }
}

async function serverFacts(server: () => Promise<ServerLook>): Promise<FactsOf<'store'>> {
  try {
    return { kind: 'postgres', ...(await server()) }
  } catch (error) {
    // A sentence of ours, which names hosts and never the password.
    return { kind: 'unusable', why: error instanceof Error ? error.message : String(error) }
  }
}

async function providerFacts(
  name: Config['notifications']['providers'][number],
  { twilio: { accountSid, authToken, baseUrl }, gateway }: Config,
  modem: () => Promise<ModemFacts>,
): Promise<FactsOf<'providers'>[number]> {
  switch (name) {
    case 'outbox':
      return { name }
    case 'http':
      return { name, failure: gateway.url === null ? 'gateway.url is not set' : await reach(gateway.url.reveal()) }
    case 'twilio': {
      if (accountSid === null || authToken === null) return { name, failure: 'accountSid or authToken is not set' }
      return { name, ...(await checkAccount({ accountSid, authToken: authToken.reveal(), baseUrl })) }
    }
    case 'modem':
      return modem()
    default:
      return name satisfies never
  }
}

/** Loaded only where mail is sent. */
function mailFacts(config: Config): readonly Promise<FactsOf<'providers'>[number]>[] {
  const server = mailServerOf(config)
  if (server === null) return []
  const { allowPrivateTargets, lanHosts: hosts } = config.notifications
  const isOpen = allowPrivateTargets || writtenIn(config, 'smtp.url') !== null
  const failure = import('../../adapters/outbound/smtp/check-login.ts').then(({ checkLogin }) =>
    checkLogin({ ...server, guard: isOpen ? null : publicGuard(lanHosts(hosts)) }),
  )
  return [failure.then((text) => ({ name: 'smtp', failure: text }))]
}

async function mapFacts({ dataDir, map: { overlays, basemap, tileUrl } }: Config): Promise<FactsOf<'map'>> {
  const { problems, close } = await openMapFiles({ dataDir, overlays, basemap })
  await close()
  const parts = [
    ...(overlays.length > 0 ? ['overlays'] : []),
    ...(basemap === null ? [] : ['base map']),
    ...(tileUrl === null ? [] : ['tiles']),
  ]
  return { problems, parts }
}

async function lastDrillAt(store: DoctorStore): Promise<number | null> {
  let last: number | null = null
  for (const { id: appId } of await store.applications()) {
    const [newest] = await store.drills({ appId, userId: null, since: last ?? 0, limit: 1 })
    if (newest !== undefined) last = Math.max(last ?? 0, newest.openedAt)
  }
  return last
}

async function administratorFacts(store: DoctorStore): Promise<FactsOf<'administrators'>> {
  const admins = (await store.operators()).filter(isSiteAdministrator)
  const signedIn = admins.filter(({ signedInAt }) => signedInAt !== null).length
  return { signedIn, invited: admins.length - signedIn }
}

/** The dates of `tls show`. */
export const certificateFacts = (
  info: Pick<TlsInfo, 'source' | 'file' | 'names' | 'validFrom' | 'validTo' | 'concerns'>,
  now: number,
): FactsOf<'certificate'> => ({
  ...info,
  validFrom: Date.parse(info.validFrom),
  validTo: Date.parse(info.validTo),
  now,
})
