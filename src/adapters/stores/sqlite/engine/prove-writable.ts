import { type WriteContext, writesOf } from './write.ts'

/** Proves that an alarm could be stored. It spares the reserve, so it fails before alarms do. */
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
