/** Major incidents, in a file of their own: loaded when the first one is opened. */
export { MajorPart } from './parts/major-part.tsx'
export { MajorView } from './views/major.tsx'
