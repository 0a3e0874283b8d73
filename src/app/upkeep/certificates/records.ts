import type { CaAccount } from '../../../ports/certificate-authority.ts'
import type { CertificateRecord, CertificateRecordName, CertificateStore } from '../../../ports/certificate-store.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Secrets } from '../../../ports/secrets.ts'

/** A certificate from the CA of `directory`, in PEM. `from` and `to`: epoch ms. */
export type PublicCertificate = {
  readonly directory: string
  readonly cert: string
  readonly key: string
  readonly domains: readonly string[]
  readonly from: number
  readonly to: number
}

/** An order under way, and the key that its certificate is to have, in PEM. */
export type PendingOrder = {
  readonly directory: string
  readonly url: string
  readonly domains: readonly string[]
  readonly key: string
}

export type ChallengeAnswer = { readonly token: string; readonly answer: string }

/** Attempts to get a certificate for `domains` from the CA of `directory`. Moments in epoch ms; 0: none. */
export type OrderAttempts = {
  readonly directory: string
  readonly domains: readonly string[]
  /** When the last orders were made. */
  readonly orders: readonly number[]
  /** When an order was last made although the site did not find itself at the domain. */
  readonly blindAt: number
  /** OrderAttempts that failed since one succeeded. */
  readonly failures: number
  readonly nextAt: number
  /** The CA wants to be left alone until then. */
  readonly notBefore: number
  /** Why the last attempt failed, as a sentence. */
  readonly problem: string | null
  /** The end of the certificate about which the operators have been told. */
  readonly toldOf: number
}

export const noAttempts: OrderAttempts = {
  directory: '',
  domains: [],
  orders: [],
  blindAt: 0,
  failures: 0,
  nextAt: 0,
  notBefore: 0,
  problem: null,
  toldOf: 0,
}

export type KeptRecords = {
  readonly account: CaAccount | null
  readonly order: PendingOrder | null
  readonly challenges: readonly ChallengeAnswer[]
  readonly certificate: PublicCertificate | null
  readonly attempts: OrderAttempts
  /** Why a record cannot be opened here, as a sentence; null if each can. */
  readonly trouble: string | null
}

type Sealed = {
  readonly account: CaAccount
  readonly order: PendingOrder
  readonly challenges: readonly ChallengeAnswer[]
  readonly certificate: PublicCertificate
}

/** The records of the site's certificate in the store, opened. All but the attempts are sealed: none tells a key. */
export class CertificateRecords {
  readonly #store: CertificateStore
  readonly #secrets: Secrets
  readonly #clock: Pick<Clock, 'now'>
  #latest: KeptRecords | null = null

  constructor(needs: {
    readonly store: CertificateStore
    readonly secrets: Secrets
    readonly clock: Pick<Clock, 'now'>
  }) {
    this.#store = needs.store
    this.#secrets = needs.secrets
    this.#clock = needs.clock
  }

  /** As this node last read them, with the attempts that it has noted since. Null: never. */
  get latest(): KeptRecords | null {
    return this.#latest
  }

  /** A record that cannot be opened counts as missing. */
  async read(): Promise<KeptRecords> {
    const records = await this.#store.certificateRecords()
    let trouble: string | null = null
    const opened = <N extends keyof Sealed>(name: N): Sealed[N] | null => {
      const found = textIn(records, name)
      if (found === null) return null
      const opening = this.#secrets.open(sealName(name), found)
      if ('value' in opening) return JSON.parse(opening.value.toString('utf8')) as Sealed[N]
      trouble = `the stored ${name} cannot be opened: ${opening.why}`
      return null
    }
    this.#latest = {
      account: opened('account'),
      order: opened('order'),
      challenges: opened('challenges') ?? [],
      certificate: opened('certificate'),
      attempts: attemptsOf(textIn(records, 'attempts')),
      trouble,
    }
    return this.#latest
  }

  /** Null removes the record. */
  async keep<N extends keyof Sealed>(name: N, value: Sealed[N] | null): Promise<void> {
    const sealed = value === null ? null : await this.#secrets.seal(sealName(name), JSON.stringify(value))
    await this.#store.keepCertificateRecord(name, sealed, this.#clock.now())
  }

  async keepAttempts(attempts: OrderAttempts): Promise<void> {
    await this.#store.keepCertificateRecord('attempts', JSON.stringify(attempts), this.#clock.now())
    if (this.#latest !== null) this.#latest = { ...this.#latest, attempts }
  }

  /** Why nothing can be sealed here, as a sentence; null if it can. */
  keyTrouble(): string | null {
    return this.#secrets.keyTrouble()
  }
}

const sealName = (name: CertificateRecordName): string => `certificate_records/${name}`

const textIn = (records: readonly CertificateRecord[], name: CertificateRecordName): string | null =>
  records.find((record) => record.name === name)?.value ?? null

function attemptsOf(text: string | null): OrderAttempts {
  try {
    return { ...noAttempts, ...(text === null ? {} : (JSON.parse(text) as Partial<OrderAttempts>)) }
  } catch {
    return noAttempts
  }
}
