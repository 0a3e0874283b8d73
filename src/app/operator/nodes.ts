import { isoAt } from '../../core/ingest/event-time.ts'
import type { NodeRecord, NodeStore } from '../../ports/node-store.ts'
import { type By, rowBy } from './by.ts'

type NodeState = 'sending' | 'draining' | 'stopped' | 'gone'

/** `gone`: its lease expired. */
function stateOf({ leaseUntil, isDraining, isStopped }: NodeRecord, now: number): NodeState {
  if (isStopped) return 'stopped'
  if (leaseUntil <= now) return 'gone'
  return isDraining ? 'draining' : 'sending'
}

/** A node as the operator sees it. `now`: by the clock of the database. */
export const nodeView = (node: NodeRecord, now: number) => ({
  id: node.lease.node,
  version: node.version,
  state: stateOf(node, now),
  startedAt: isoAt(node.startedAt),
  leaseUntil: isoAt(node.leaseUntil),
})

/** Drains a node, or lets it claim messages again. `isAlone`: no other node is sending. */
export async function drainNode(
  store: Pick<NodeStore, 'nodes' | 'drain'>,
  nodeId: string,
  isDraining: boolean,
  by: By,
): Promise<{ readonly isAlone: boolean } | { readonly refused: 'node_not_found' }> {
  const details = { change: isDraining ? 'draining' : 'sending again' }
  const row = rowBy(by, { action: 'node.drain', subject: nodeId, details })
  if (!(await store.drain(nodeId, isDraining, row))) return { refused: 'node_not_found' }
  const { now, nodes } = await store.nodes()
  return { isAlone: !nodes.some((node) => node.lease.node !== nodeId && stateOf(node, now) === 'sending') }
}
