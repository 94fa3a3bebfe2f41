create table results (day text not null, player text not null, points integer not null, primary key (day, player));
create table challenges (day text primary key, points integer not null);
