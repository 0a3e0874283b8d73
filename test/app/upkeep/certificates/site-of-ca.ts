import type { TestContext } from 'node:test'
import { acmeAuthority } from '../../../../src/adapters/outbound/acme/acme-client.ts'
import { newKey } from '../../../../src/adapters/platform/tls/issue.ts'
import { issuedPair } from '../../../../src/adapters/platform/tls/public-pair.ts'
import { certificateRequest } from '../../../../src/adapters/platform/tls/request.ts'
import { challengeAnswers } from '../../../../src/app/upkeep/certificates/challenge-answers.ts'
import { httpProving, type Proving } from '../../../../src/app/upkeep/certificates/proving.ts'
import { CertificateRecords, type KeptRecords } from '../../../../src/app/upkeep/certificates/records.ts'
import { certificateConcern, type Renewal, renewCertificate } from '../../../../src/app/upkeep/certificates/renewal.ts'
import { MINUTE } from '../../../../src/lib/durations.ts'
import type { CertificateRecord, CertificateStore } from '../../../../src/ports/certificate-store.ts'
import type { Secrets } from '../../../../src/ports/secrets.ts'
import { type AcmeCa, startAcmeCa } from '../../../harness/acme-ca.ts'
import { VirtualClock } from '../../../harness/virtual-clock.ts'
import { until } from '../../../harness/wait.ts'

export const DOMAIN = 'sos.example.org'

/** Rows in memory, as the store has them. */
export class Rows implements CertificateStore {
  readonly rows = new Map<string, CertificateRecord>()

  async certificateRecords(): Promise<readonly CertificateRecord[]> {
    return [...this.rows.values()]
  }

  async keepCertificateRecord(name: CertificateRecord['name'], value: string | null, at: number): Promise<void> {
    if (value === null) this.rows.delete(name)
    else this.rows.set(name, { name, value, at })
  }
}

/** Seals with a key that is only a word. */
export const sealingWith = (word: string | null): Secrets => ({
  keyTrouble: () => (word === null ? 'this node has no key' : null),
  otherKey: () => null,
  compareKey: async () => null,
  seal: async (name, value) => `${word}|${name}|${Buffer.from(value).toString('base64')}`,
  open(name, sealed) {
    const [by, of, value = ''] = sealed.split('|')
    if (by !== word || of !== name) return { refused: 'other_key', why: 'it was sealed with another key' }
    return { value: Buffer.from(value, 'base64') }
  },
})

type Astray = NonNullable<Awaited<ReturnType<Proving['look']>>>

/** A site, and a CA that finds it, on one virtual clock. Each `node` shares its rows, as after a restart or beside. */
export class SiteOfCa {
  readonly clock = new VirtualClock()
  readonly store = new Rows()
  readonly ca: AcmeCa
  /** What the site finds at its own domain; null: itself. */
  astray: Astray | null = null
  /** What the CA finds there. */
  answerOf: (token: string) => Promise<string | null>
  readonly told: string[] = []
  readonly lines: string[] = []
  renewed = 0
  readonly #running = new Set<Renewal>()
  readonly #t: TestContext

  constructor(t: TestContext, ca: AcmeCa) {
    this.#t = t
    this.ca = ca
    this.answerOf = this.answering()
  }

  /** How a node answers the CA. */
  answering(secrets?: Secrets): SiteOfCa['answerOf'] {
    const { clock } = this
    return challengeAnswers({ records: this.records(secrets), clock, monotonicMs: () => clock.now() })
  }

  records(secrets = sealingWith('key')): CertificateRecords {
    return new CertificateRecords({ store: this.store, secrets, clock: this.clock })
  }

  kept(): Promise<KeptRecords> {
    return this.records().read()
  }

  /** What the operators see of the certificate of a site that wants one of this CA. */
  concern(kept: KeptRecords, wanted: Partial<Parameters<typeof certificateConcern>[1]> = {}): string | null {
    return certificateConcern(kept, { directory: this.ca.directory, domains: [DOMAIN], ...wanted }, this.clock.now())
  }

  /** A node, started; it ends with the test. */
  node({
    directory = this.ca.directory,
    domains = [DOMAIN],
    secrets = sealingWith('key'),
    isAlone = true,
    mayRun = () => true,
    proving,
  }: {
    readonly directory?: string
    readonly domains?: readonly string[]
    readonly secrets?: Secrets
    readonly isAlone?: boolean
    readonly mayRun?: () => boolean
    readonly proving?: Proving
  } = {}): Renewal {
    const { clock } = this
    const records = this.records(secrets)
    const note = (fields: object, message: string): void => void this.lines.push(JSON.stringify({ ...fields, message }))
    let tokens = 0
    const renewal = renewCertificate({
      authority: acmeAuthority({ directory, email: null, now: () => clock.now(), timeoutMs: 30_000 }),
      records,
      proving: proving ?? httpProving({ records, ask: async () => this.astray, newToken: () => `token${tokens++}` }),
      domains,
      newKey,
      requestOf: async (names, key) => (await certificateRequest(names, key)).request,
      check(text, key, names) {
        const issued = issuedPair(text, key, names, clock.now())
        return 'refused' in issued ? issued : { ...issued, domains: names, directory }
      },
      mayRun,
      isAlone,
      prepare: async () => {},
      onRenewed: async () => {
        this.renewed += 1
      },
      tell: (sentence) => void this.told.push(sentence),
      random: () => 0.5,
      clock,
      log: { info: note, warn: note, error: note },
    })
    const stop = (): Promise<void> => {
      this.#running.delete(renewal)
      return renewal.stop()
    }
    this.#t.after(stop)
    this.#running.add(renewal)
    renewal.start()
    return { ...renewal, stop }
  }

  /** Advances the clock by a second at a time until something is so. */
  async until(what: string, isSo: () => boolean | Promise<boolean>, seconds = 900): Promise<void> {
    for (let n = 0; n < seconds; n += 1) {
      if (await isSo()) return
      await this.clock.advance('1 s', this.#quiet)
    }
    throw new Error(`not within ${seconds} s: ${what}\n${this.lines.join('\n')}`)
  }

  async passes(hours: number): Promise<void> {
    await this.clock.advance(`${hours} h`, this.#quiet, 6 * MINUTE)
  }

  /** Resolves when each node waits for the clock, and none for the network. */
  readonly #quiet = async (): Promise<void> => {
    await until('the nodes wait for the clock', async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return this.clock.pending >= this.#running.size
    })
  }
}

export async function siteOfCa(t: TestContext, lifeMs?: number): Promise<SiteOfCa> {
  let site: SiteOfCa | null = null
  const ca = await startAcmeCa(t, {
    now: () => site!.clock.now(),
    answerOf: async (token) => (await site!.answerOf(token)) ?? undefined,
    ...(lifeMs !== undefined && { lifeMs }),
  })
  site = new SiteOfCa(t, ca)
  return site
}
