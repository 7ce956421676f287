import { ApiKey, Workspace } from '../workspaces/entities.ts'
import { Automation, AutomationCounts, AutomationVersion, EmailContent } from '../automations/entities.ts'
import { Contact } from '../contacts/entities.ts'
import { Segment } from '../conditions/entities.ts'
import { List } from '../lists/entities.ts'
import { Message } from '../messages/entities.ts'
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
