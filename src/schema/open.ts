import { ApiKey, Workspace } from '../workspaces/index.ts'
import { Automation, AutomationCounts, AutomationVersion, EmailContent } from '../automations/index.ts'
import { Contact } from '../contacts/index.ts'
import { Segment } from '../conditions/index.ts'
import { List } from '../lists/index.ts'
import { Message } from '../messages/index.ts'
import { openOrm, type Orm, type OrmOptions } from '../platform/db/orm.ts'
import { migrations } from './migrations/index.ts'

/** Every table that is read or written through an entity. */
const entities = [
  Workspace,
  ApiKey,
  Contact,
  Automation,
  AutomationVersion,
  AutomationCounts,
  EmailContent,
  List,
  Segment,
  Message,
]

/** Opens Dripline's database. @see openOrm */
export const openDatabase = (options: OrmOptions): Orm => openOrm({ entities, migrations }, options)
