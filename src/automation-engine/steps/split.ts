import { byActivity } from './by-activity.ts'
import type { EngineStepType } from './step-type.ts'

export interface SplitOutline {
  id: string
  type: 'SPLIT'
}

export interface StoredSplit extends SplitOutline {
  branches: { name: string; weight: number }[]
}

/** Takes one of the branches at random, by their weights. A contact always gets the same one. */
export const split: EngineStepType<SplitOutline, StoredSplit> = {
  ...byActivity('SPLIT'),
  branchesOf: ({ branches }) => [...branches.keys()].map(String),
}
