import { createJobStore } from '../capabilities/jobs/index.ts'
import { openDatabase } from '../engines/database/open.ts'
import { createStoppedClock, HOUR_MS } from '../platform/clock.ts'
import { createAgeGuard } from '../platform/jobs/age-guard.ts'
import { createJobs } from '../platform/jobs/jobs.ts'
import { testPrepares } from './databases.ts'

/** A node that starts a job and never ends it: a test kills its process. */
const [, , url, dataDir = ''] = process.argv
const clock = createStoppedClock()
const db = await openDatabase({ url, prepare: testPrepares(), dataDir, clock, log: () => {} })
const jobs = createJobs(
  [
    {
      name: 'test.job',
      everyMs: HOUR_MS,
      run: () => new Promise(() => process.send?.('running')),
    },
  ],
  {
    store: createJobStore(db),
    clock,
    ageGuard: createAgeGuard({ clock, report() {} }),
    background: { run: (work) => void work(), stopping: new AbortController().signal },
    report: () => {},
    reportClock: () => {},
  },
)
jobs.startDue()
