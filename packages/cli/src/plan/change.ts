import type { Difference } from './diff.ts'
import type { Kind } from './shapes.ts'
import type { Bound, State } from './state.ts'
import type { Remote } from './workspace.ts'

/** The last one who changed a resource, and the time. */
export interface Author {
  name: string
  at: string
}

/** A change that a plan makes to one resource. */
export interface Change {
  action: 'create' | 'update' | 'delete'
  kind: Kind
  path: string
  name: string
  differences: Difference[]
  /** The reason why the change is not made without --force: the workspace was changed since the last pull or apply. */
  drift?: { message: string; author?: Author | null }
  /** The effects on people, such as `412 contacts are in the automation. They keep the steps that they entered with.` */
  effects: string[]
  /** The file, unless the resource is deleted. */
  file?: Bound
  /** The resource, unless it is created. */
  remote?: Remote
  /** The paths of resources that must be created first. */
  after: string[]
}

export interface Plan {
  state: State
  changes: Change[]
  unchanged: Bound[]
}
