import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { completeLayout } from '../../packaging/oci.ts'
import { configOf } from '../../src/config.ts'

const folder = fileURLToPath(new URL('../../packaging/containers/', import.meta.url))
const IMAGE = 'localhost/tocsin:current'

suite('containers', () => {
  test('a completed layout has a health check, Docker’s own index, and names that are the digests of what they name', async (t) => {
    const layout = await mkdtemp(join(tmpdir(), 'tocsin-layout-'))
    t.after(() => rm(layout, { recursive: true }))
    const blobs = join(layout, 'blobs/sha256')
    await mkdir(blobs, { recursive: true })
    const put = async (content: string) => {
      const hex = createHash('sha256').update(content).digest('hex')
      await writeFile(join(blobs, hex), content)
      return { digest: `sha256:${hex}`, size: content.length }
    }
    const layer = await put('a layer')
    const config = await put(JSON.stringify({ os: 'linux', config: { Cmd: ['start'] } }))
    const manifest = await put(JSON.stringify({ schemaVersion: 2, config, layers: [layer] }))
    await writeFile(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }))

    await completeLayout(layout, 'localhost/tocsin:1', { Healthcheck: { Test: ['CMD', 'tocsin', 'health'] } })

    const names = await readdir(blobs)
    assert.equal(names.length, 3)
    for (const name of names) {
      assert.equal(
        createHash('sha256')
          .update(await readFile(join(blobs, name)))
          .digest('hex'),
        name,
      )
    }
    const read = async (path: string) => JSON.parse(await readFile(join(layout, path), 'utf8'))
    const [forDocker] = await read('manifest.json')
    assert.deepEqual(forDocker.RepoTags, ['localhost/tocsin:1'])
    assert.deepEqual(forDocker.Layers, [`blobs/${layer.digest.replace(':', '/')}`])
    assert.deepEqual(await read(forDocker.Config), {
      os: 'linux',
      config: { Cmd: ['start'], Healthcheck: { Test: ['CMD', 'tocsin', 'health'] } },
    })
    const { manifests } = await read('index.json')
    assert.equal(manifests[0].annotations['org.opencontainers.image.ref.name'], 'localhost/tocsin:1')
    const named = await read(`blobs/${manifests[0].digest.replace(':', '/')}`)
    assert.equal(`blobs/${named.config.digest.replace(':', '/')}`, forDocker.Config)
  })

  test('Compose and Quadlet start the same image, on its ports, with a root file system that nobody writes', async () => {
    const defaults = configOf({})
    assert.ok('config' in defaults)
    const ports = [defaults.config.https.port, defaults.config.mqtts.port].map((port) => `${port}:${port}`)
    const { services } = parse(await readFile(join(folder, 'compose.yaml'), 'utf8'))
    const { tocsin, postgres, smsd } = services
    assert.deepEqual([tocsin.image, tocsin.pull_policy, tocsin.read_only], [IMAGE, 'never', true])
    assert.deepEqual([tocsin.ports, tocsin.cap_drop, tocsin.restart], [ports, ['ALL'], 'always'])
    // One box is what starts without a profile.
    assert.deepEqual([tocsin.profiles, postgres.profiles, smsd.profiles], [undefined, ['postgres'], ['modem']])

    const unit = await readFile(join(folder, 'tocsin.container'), 'utf8')
    const values = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value)
    assert.deepEqual(values('PublishPort'), ports)
    assert.deepEqual([values('Image'), values('Pull'), values('ReadOnly')], [[IMAGE], ['never'], ['true']])
    assert.deepEqual([values('DropCapability'), values('Restart')], [['all'], ['always']])
    // As CMD: there is no shell.
    assert.deepEqual(values('HealthCmd'), ['CMD tocsin health'])
    assert.ok((await readFile(join(folder, 'use-image'), 'utf8')).includes(`current=${IMAGE}\n`))
  })

  test('use-image says in a sentence how it is used', async () => {
    const use = (...args: readonly string[]) =>
      new Promise<readonly [number, string]>((resolve) => {
        execFile(join(folder, 'use-image'), args, (error, _stdout, stderr) =>
          resolve([Number(error?.code ?? 0), stderr]),
        )
      })
    assert.deepEqual(await use(), [1, 'error: usage: use-image tocsin-VERSION-amd64.oci.tar\n'])
    assert.deepEqual(await use('/nowhere.tar'), [1, 'error: /nowhere.tar cannot be read\n'])
  })
})
