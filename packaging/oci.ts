import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

type Descriptor = { digest: string; size: number; annotations?: Record<string, string> }
type Manifest = { config: Descriptor; layers: Descriptor[] }
type Configuration = { config: Record<string, unknown> }

const pathOf = ({ digest }: Descriptor): string => `blobs/${digest.replace(':', '/')}`

/**
 * Completes an OCI layout of one image, which `buildah push` has written. `settings` are added to its configuration:
 * `Healthcheck` is Docker's own field, which the specification lets others ignore, and which buildah leaves out of this
 * format. A `manifest.json` is added, because Docker loads an archive by nothing else (Docker 29 is the first that
 * does). https://github.com/opencontainers/image-spec/blob/main/config.md
 */
export async function completeLayout(
  layout: string,
  name: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<void> {
  const read = async <T>(path: string): Promise<T> => JSON.parse(await readFile(join(layout, path), 'utf8'))
  /** Replaces a blob, and corrects what refers to it. */
  const replace = async (descriptor: Descriptor, content: unknown): Promise<void> => {
    await rm(join(layout, pathOf(descriptor)))
    const text = JSON.stringify(content)
    descriptor.digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
    descriptor.size = Buffer.byteLength(text)
    await writeFile(join(layout, pathOf(descriptor)), text)
  }
  const index = await read<{ manifests: Descriptor[] }>('index.json')
  const [image] = index.manifests
  if (image === undefined || index.manifests.length !== 1) throw new Error(`${layout} does not hold one image`)
  const manifest = await read<Manifest>(pathOf(image))
  const configuration = await read<Configuration>(pathOf(manifest.config))
  await replace(manifest.config, { ...configuration, config: { ...configuration.config, ...settings } })
  await replace(image, manifest)
  image.annotations = { ...image.annotations, 'org.opencontainers.image.ref.name': name }
  await writeFile(join(layout, 'index.json'), JSON.stringify(index))
  const forDocker = { Config: pathOf(manifest.config), RepoTags: [name], Layers: manifest.layers.map(pathOf) }
  await writeFile(join(layout, 'manifest.json'), JSON.stringify([forDocker]))
}
