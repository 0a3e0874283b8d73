import type { GrowthFigures } from '../measurements/growth.ts'
import { known, micros, table, whole } from './text.ts'
import { threadText } from './threads.ts'

export const formatGrowth = (figures: readonly GrowthFigures[]): string[] => [
  '',
  `How the processor time of one telemetry message grows, median of ${figures[0]!.levels[0]!.rate.runs.length}`,
  ...figures.flatMap(({ name, tooFew, levels }) => [
    ...(tooFew === null ? [] : [tooFew]),
    ...table([
      [name, 'messages/s', 'not sent in time', 'CPU/message', 'by thread'],
      ...levels.map(({ value, rate, withheld, cpuMicros, threadMicros }) => [
        whole(value),
        whole(rate.median),
        withheld === 0 ? '' : whole(withheld),
        known(cpuMicros?.median, micros),
        threadText(threadMicros),
      ]),
    ]),
  ]),
]
