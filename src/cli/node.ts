import type { Command } from 'commander'
import { drainNode, nodeView } from '../app/operator/nodes.ts'
import { type Answer, table } from './answer.ts'
import { type Act, byCommand, type CommandContext } from './command-context.ts'
import { duration } from './moment.ts'

const ONE_NODE = {
  refused: 'there is one node: the data is in SQLite on this machine; only a PostgreSQL database is shared (store.url)',
} as const

/** `tocsin node …`: the nodes that share a database, and letting one go. rules.md#several-nodes. */
export function addNodeCommands(program: Command, act: Act): void {
  const node = program.command('node').description('show the nodes that share the database, and drain one')

  node.command('list').description('list the nodes of the last week with their leases').action(act(list))

  node
    .command('drain [id]')
    .description('drain a node before it is stopped: it claims no more messages (default: the node of this machine)')
    .option('--undo', 'let it send again')
    .action(act((context, id: string | undefined, { undo }: { undo?: true }) => drain(context, id, undo !== true)))
}

async function list({ nodes: store }: CommandContext): Promise<Answer> {
  if (store === null) return ONE_NODE
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

async function drain(context: CommandContext, named: string | undefined, on: boolean): Promise<Answer> {
  const { nodes: store, config } = context
  if (store === null) return ONE_NODE
  const { nodeIdentity } = await import('../adapters/stores/postgres/node-id.ts')
  const id = named ?? nodeIdentity(config.dataDir, config.node.id).id
  const done = await drainNode(store, id, on, byCommand(context))
  if ('refused' in done) return { refused: `there is no node ${id}; list them with: tocsin node list` }
  const drained = done.isAlone
    ? `No other node is sending, so ${id} goes on until one does.`
    : `Within 5 s ${id} stops claiming messages. You can stop it then: it finishes what it is sending.`
  return { json: { id, draining: on }, text: on ? drained : `${id} sends again within 5 s.` }
}
