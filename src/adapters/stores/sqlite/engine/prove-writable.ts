import { type WriteContext, writesOf } from './write.ts'

/** Shows whether an alarm could be stored, and, because it spares the reserve, says so before one cannot. */
type Proof = { proveWritable(): Promise<void> }

const statements = ({ db }: WriteContext) => db.prepare("UPDATE meta SET value = value + 1 WHERE key = 'write_checks'")

export const proofWrites = writesOf<Proof>()(statements, {
  proveWritable: {
    lane: 'alarm',
    reserve: 'spares',
    atomic: true,
    run: (proof) => void proof.run(),
  },
})
