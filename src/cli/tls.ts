import type { Command } from 'commander'
import { createTlsIdentity, publicNames, tlsSourceOf } from '../adapters/platform/tls/identity.ts'
import type { TlsInfo } from '../adapters/platform/tls/info.ts'
import { becomeOwnerOf } from '../adapters/stores/sqlite/files/data-owner.ts'
import type { Config } from '../config.ts'
import type { Answering } from './answer.ts'
import { type Answer, record } from './answer.ts'
import { configured } from './command-context.ts'
import { configInForce, type OpenedOnce, openedOnce } from './opened-store.ts'
import { storedCertificate } from './public-certificate.ts'

/**
 * `tocsin tls show`: the certificate that clients see, and how to make them trust it. Creates it if there is none, as
 * `start` would.
 */
export function addTlsCommands(program: Command, answering: Answering): void {
  program
    .command('tls')
    .description('show the certificate for MQTT over TLS and HTTPS')
    .command('show')
    .description('show its fingerprint, validity and names, and how to make clients trust it')
    .action(answering(async ({ config }) => show(config)))
}

async function show(file: string | undefined): Promise<Answer> {
  const read = configured(file)
  if ('refused' in read) return read
  const { config } = read
  const source = tlsSourceOf(config)
  if ('dataDir' in source) becomeOwnerOf(config.dataDir)
  // Anything it would log is also among the concerns.
  const log = { info() {}, warn() {}, error() {} }
  const opened = openedOnce(config)
  try {
    const live = await configInForce(config, opened)
    const { certificate, concern } = await storedBeside(live, opened)
    const publicPair = async () => certificate
    const identity = await createTlsIdentity(source, { log, hostNames: () => publicNames(live), publicPair })
    const seen = identity.info()
    await identity.close()
    const info = concern === null ? seen : { ...seen, concerns: [...seen.concerns, concern] }
    return { json: info, text: text(info) }
  } finally {
    await opened.close()
  }
}

async function storedBeside(config: Config, opened: OpenedOnce): ReturnType<typeof storedCertificate> {
  try {
    return await storedCertificate(config, async () => (await opened.open()).store)
  } catch (error) {
    return { certificate: null, concern: `the certificate of the CA is unknown here: ${(error as Error).message}` }
  }
}

const heading = {
  acme: 'The certificate of the CA (acme), for clients that ask for one of its names',
  operator: 'The certificate in tls.cert',
  local: 'A certificate of the local CA',
} as const

function text(info: TlsInfo): string {
  const { source, file, fingerprint, validFrom, validTo, state, names, ca, concerns } = info
  const valid = (from: string, to: string): string => `from ${from} to ${to}`
  const certificate = record({
    file,
    'SHA-256': fingerprint,
    valid: `${valid(validFrom, validTo)}${state === 'valid' ? '' : ` (${state.replaceAll('_', ' ')})`}`,
    names: names.join(', '),
  })
  const parts = [
    `${file === 'tls.pem' ? 'The certificate in tls.pem, for clients that ask for one of its names' : heading[source]}\n${certificate}`,
    ...(ca === null
      ? ['Clients trust it if they trust its issuer; for a public CA, nothing has to be installed.']
      : [
          `The local CA\n${record({ file: ca.file, 'SHA-256': ca.fingerprint, valid: valid(ca.validFrom, ca.validTo) })}`,
          TRUST,
        ]),
    ...concerns.map((concern) => `Warning: ${concern}`),
  ]
  return parts.join('\n\n')
}

/** Trust or pin the CA: the server's certificate is renewed automatically, only the CA stays. */
const TRUST = `To trust it, give clients a copy of ca.crt (never of ca.key) and compare the SHA-256 of the CA:
  an app or MQTT client  use ca.crt as its CA: "ca" in MQTT.js, --cafile for mosquitto_pub, ca_certs in Paho
  curl                   curl --cacert ca.crt https://…
  Debian, Ubuntu         cp ca.crt /usr/local/share/ca-certificates/tocsin.crt && update-ca-certificates
  Android                Settings, Security, Install a certificate, CA certificate; an app has to allow user CAs
  iPhone                 open ca.crt, install the profile, then Settings, General, About, Certificate Trust Settings
Trust or pin the CA, not the server's certificate: it is renewed automatically.`
