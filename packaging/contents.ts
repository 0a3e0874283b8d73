import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../build/sources.ts'
import { epoch, RELEASE, run, version } from './release.ts'

/** As `npm sbom` writes it: https://cyclonedx.org/docs/1.5/json/ */
type Sbom = {
  serialNumber: string
  metadata: { timestamp: string; component: { name: string; version: string } }
  components: { name: string; version: string; licenses?: { license: { id?: string; name?: string } }[] }[]
}

const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i

/**
 * `release/sbom.cdx.json` and `release/THIRD-PARTY-NOTICES`: the packages that a release contains, and their licences
 * word for word. Throws if a package names none.
 */
export async function describeContents(): Promise<void> {
  // Without workspaces: packages of ours are under the project's own licence.
  const options = ['--omit=dev', '--workspaces=false', '--sbom-format=cyclonedx', '--package-lock-only']
  const sbom: Sbom = JSON.parse(run('npm', ['sbom', ...options], { cwd: ROOT }))
  sbom.metadata.timestamp = new Date(epoch * 1000).toISOString()
  // npm takes the name of the directory that it is built in.
  sbom.metadata.component.name = 'tocsin'
  sbom.metadata.component.version = version
  // Of the contents, not at random: two builds of one commit are equal.
  const digest = createHash('sha256').update(JSON.stringify(sbom.components)).digest('hex')
  const groups = [digest.slice(0, 8), digest.slice(8, 12), `5${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`]
  sbom.serialNumber = `urn:uuid:${groups.join('-')}-${digest.slice(20, 32)}`
  await writeFile(join(RELEASE, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)
  await writeFile(join(RELEASE, 'THIRD-PARTY-NOTICES'), sbom.components.filter(isOthers).map(noticeOf).join(''))
}

/** What is built from this checkout is nobody else's. */
const isOthers = ({ name }: Sbom['components'][number]): boolean => name !== '@tocsin/sdk'

function noticeOf({ name, version, licenses = [] }: Sbom['components'][number]): string {
  const folder = join(ROOT, 'node_modules', name)
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => LICENSE_FILE.test(file)) : []
  const ids = licenses.map(({ license }) => license.id ?? license.name ?? '').join(', ')
  if (files.length === 0 && ids === '') throw new Error(`${name}@${version} names no licence`)
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return `${'='.repeat(72)}\n${name} ${version}${ids === '' ? '' : ` (${ids})`}\n\n${texts.join('\n\n')}\n\n`
}
