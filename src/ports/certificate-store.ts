/**
 * A site's records about its certificate from a public CA. `account`: at the CA. `order`: under way. `challenges`: what
 * every node answers the CA. `certificate`: the one in use, with its key. `attempts`: when the last ones were, and why
 * they failed. All but the last are sealed.
 */
export type CertificateRecordName = 'account' | 'order' | 'challenges' | 'certificate' | 'attempts'

/** `at`: when it was kept, epoch ms. */
export type CertificateRecord = { readonly name: CertificateRecordName; readonly value: string; readonly at: number }

export type CertificateStore = {
  /** All of them, at most one of each name. */
  certificateRecords(): Promise<readonly CertificateRecord[]>
  /** Replaces the record of this name. A null `value` removes it. `at`: epoch ms. */
  keepCertificateRecord(name: CertificateRecordName, value: string | null, at: number): Promise<void>
}
