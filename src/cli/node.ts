import type { Command } from 'commander'
import { becomeOwnerOf } from '../adapters/stores/sqlite/files/data-owner.ts'
import { drainNode, nodeView } from '../app/operator/nodes.ts'
import type { Config } from '../config.ts'
import type { NodeStore } from '../ports/node-store.ts'
import { type Answer, type Answering, type CommonOptions, table } from './answer.ts'
import { byCommand, configured } from './command-context.ts'
import { duration } from './moment.ts'

const ONE_NODE = {
  refused: 'there is one node: the data is in SQLite on this machine; only a PostgreSQL database is shared (store.url)',
} as const

/** `tocsin node …`: the nodes that share a database, and letting one go. keeping.md#several-nodes. */
export function addNodeCommands(program: Command, answering: Answering): void {
  const node = program.command('node').description('show the nodes that share the database, and drain one')

  node
    .command('list')
    .description('list the nodes of the last week with their leases')
    .action(answering((options) => withNodes(options, list)))

  node
    .command('drain [id]')
    .description('drain a node before it is stopped: it claims no more messages (default: the node of this machine)')
    .option('--undo', 'let it send again')
    .action(
      answering((options, id: string | undefined, { undo }: { undo?: true }) =>
        withNodes(options, (nodes, config) => drain(nodes, { config, named: id, on: undo !== true })),
      ),
    )
}

/**
 * The database is neither upgraded nor refused for its schema: nodes are drained while an upgrade is under way, by the
 * command line of either version.
 */
async function withNodes(
  options: CommonOptions,
  work: (nodes: NodeStore, config: Config) => Promise<Answer>,
): Promise<Answer> {
  const read = configured(options.config)
  if ('refused' in read) return read
  const { config } = read
  const { url } = config.store
  if (url === null) return ONE_NODE
  becomeOwnerOf(config.dataDir)
  const { openNodes } = await import('../adapters/stores/postgres/open-store.ts')
  const nodes = openNodes(url.reveal())
  try {
    return await work(nodes, config)
  } finally {
    await nodes.close()
  }
}

async function list(store: NodeStore): Promise<Answer> {
  const { now, nodes } = await store.nodes()
  const shown = nodes.map((node) => nodeView(node, now))
  const rows = nodes.map(({ leaseUntil }, place) => {
    const { id, version, state, startedAt } = shown[place]!
    const leftMs = leaseUntil - now
    const lease = leftMs > 0 ? `${duration(leftMs)} left` : `ended ${duration(-leftMs)} ago`
    return { id, version, state, started: startedAt, lease }
  })
  return { json: shown, text: table(rows, 'No node has been started yet.') }
}

type Draining = { readonly config: Config; readonly named: string | undefined; readonly on: boolean }

async function drain(store: NodeStore, { config, named, on }: Draining): Promise<Answer> {
  const { nodeIdentity } = await import('../adapters/stores/postgres/node-id.ts')
  const id = named ?? nodeIdentity(config.dataDir, config.node.id).id
  const { now } = await store.nodes()
  const done = await drainNode(store, id, on, byCommand({ now }))
  if ('refused' in done) return { refused: `there is no node ${id}; list them with: tocsin node list` }
  const drained = done.isAlone
    ? `No other node is sending, so ${id} goes on until one does.`
    : `Within 5 s ${id} stops claiming messages. You can stop it then: it finishes what it is sending.`
  return { json: { id, draining: on }, text: on ? drained : `${id} sends again within 5 s.` }
}
