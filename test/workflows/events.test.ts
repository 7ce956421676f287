import { bundleWithShortRuns } from '../support/workflow-bundle.ts'
import { describeManyEvents } from './many-events.ts'

// More than a new run can carry, and several runs. With the limits of production: events.system.test.ts.
describeManyEvents({ duringWait: 600, duringPause: 600, bundle: () => bundleWithShortRuns(200) })
