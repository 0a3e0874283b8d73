import type { StartUpFigures } from '../measurements/start-up.ts'
import { known, megabytes, table, whole } from './text.ts'

const took = (value: number): string => `${whole(value)} ms`

export const formatStartUp = (figures: StartUpFigures): string[] => [
  '',
  `Starting, median of ${figures.start.wallMs.runs.length}`,
  ...table([
    ['', 'by the clock', 'processor', ''],
    ...(
      [
        ['`tocsin start` until it is ready', figures.start],
        ['`tocsin outbox list`', figures.command],
      ] as const
    ).map(([name, { wallMs, cpuMs }]) => [name, took(wallMs.median), known(cpuMs?.median, took), '']),
  ]),
  ...(figures.residentBytes === null
    ? []
    : [
        `  Memory after ${figures.idleSeconds} s with nothing going on: ${megabytes(figures.residentBytes.median)} resident${known(figures.proportionalBytes?.median, (bytes) => `, ${megabytes(bytes)} with shared pages divided`)}.`,
      ]),
]
