/** Usage over time, for charts: functions per minute, money per day. */
export const statements = [
  `create table functions_minutes (
    "environmentId" text not null,
    minute bigint not null,
    requests bigint not null,
    errors bigint not null,
    "cpuMs" bigint not null,
    primary key ("environmentId", minute)
  )`,
  `create table money_usage_days (
    "developerId" text not null,
    date text not null,
    component text not null,
    quantity bigint not null check (quantity >= 0),
    primary key ("developerId", date, component)
  )`,
] as const
