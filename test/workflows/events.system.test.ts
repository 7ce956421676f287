import { describeManyEvents } from './many-events.ts'

// With the limits of production.
describeManyEvents({ duringWait: 12_000, duringPause: 3_000 })
