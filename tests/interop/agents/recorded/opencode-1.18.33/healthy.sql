BEGIN TRANSACTION;
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_20339d16b001HqDpyuUq6IV6rk','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350450539,1795350452817,'{"role":"user","time":{"created":1795350450539},"agent":"build","model":{"providerID":"fake","modelID":"claude-x"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_20339d549001QQQpYGnt565Qtx','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350451529,1795350452566,'{"parentID":"msg_20339d16b001HqDpyuUq6IV6rk","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795350451529,"completed":1795350452565},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_20339d95a001uBFpAwftD8YrZM','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452570,1795350452783,'{"parentID":"msg_20339d16b001HqDpyuUq6IV6rk","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795350452570,"completed":1795350452782},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_20339da32001JjmZEOWJcJ6iOB','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452786,1795350452881,'{"parentID":"msg_20339d16b001HqDpyuUq6IV6rk","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795350452786,"completed":1795350452880},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_20339d177001gkp0cPr25UHPFG','msg_20339d16b001HqDpyuUq6IV6rk','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350451492,1795350451496,'{"type":"text","text":"\"Please say the words.\""}');
INSERT INTO "part" VALUES('prt_20339d886001A692vx8f0UnwX8','msg_20339d549001QQQpYGnt565Qtx','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452358,1795350452362,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_20339d88d001I6QubkfSCEmpM4','msg_20339d549001QQQpYGnt565Qtx','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452365,1795350452375,'{"type":"reasoning","text":"I should look.","time":{"start":1795350452365,"end":1795350452373},"metadata":{"anthropic":{"signature":"c2lnbmVkIGJ5IHRoZSBmYWtlIHByb3ZpZGVy"}}}');
INSERT INTO "part" VALUES('prt_20339d899001icT5x641GBHhZL','msg_20339d549001QQQpYGnt565Qtx','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452377,1795350452384,'{"type":"text","text":"Now alpha.","time":{"start":1795350452377,"end":1795350452382}}');
INSERT INTO "part" VALUES('prt_20339d8a2001cgo0DKw8eAlQ64','msg_20339d549001QQQpYGnt565Qtx','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452386,1795350452547,'{"type":"tool","tool":"bash","callID":"call_alpha","state":{"status":"completed","input":{"command":"printf ''%s-%s\\n'' alpha real","description":"Run it"},"output":"alpha-real\n","metadata":{"output":"alpha-real\n","exit":0,"truncated":false},"title":"printf ''%s-%s\\n'' alpha real","time":{"start":1795350452397,"end":1795350452545}}}');
INSERT INTO "part" VALUES('prt_20339d94a001ib9ayc7Hep6y9u','msg_20339d549001QQQpYGnt565Qtx','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452554,1795350452556,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_20339d9bf001YWyWu9WL9zOr0h','msg_20339d95a001uBFpAwftD8YrZM','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452671,1795350452673,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_20339d9c300174P3guS3tl56ii','msg_20339d95a001uBFpAwftD8YrZM','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452675,1795350452679,'{"type":"reasoning","text":"I should look.","time":{"start":1795350452675,"end":1795350452678},"metadata":{"anthropic":{"signature":"c2lnbmVkIGJ5IHRoZSBmYWtlIHByb3ZpZGVy"}}}');
INSERT INTO "part" VALUES('prt_20339d9c9001idsr24PRsctOcs','msg_20339d95a001uBFpAwftD8YrZM','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452681,1795350452686,'{"type":"text","text":"Now beta gamma.","time":{"start":1795350452681,"end":1795350452684}}');
INSERT INTO "part" VALUES('prt_20339d9cf001NS5Gt0OGugz4zp','msg_20339d95a001uBFpAwftD8YrZM','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452687,1795350452767,'{"type":"tool","tool":"bash","callID":"call_beta","state":{"status":"completed","input":{"command":"printf ''%s-%s\\n'' beta real","description":"Run it"},"output":"beta-real\n","metadata":{"output":"beta-real\n","exit":0,"truncated":false},"title":"printf ''%s-%s\\n'' beta real","time":{"start":1795350452699,"end":1795350452766}}}');
INSERT INTO "part" VALUES('prt_20339d9e70011AKsLann2qsBDi','msg_20339d95a001uBFpAwftD8YrZM','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452712,1795350452775,'{"type":"tool","tool":"bash","callID":"call_gamma","state":{"status":"completed","input":{"command":"printf ''%s-%s\\n'' gamma real","description":"Run it"},"output":"gamma-real\n","metadata":{"output":"gamma-real\n","exit":0,"truncated":false},"title":"printf ''%s-%s\\n'' gamma real","time":{"start":1795350452724,"end":1795350452774}}}');
INSERT INTO "part" VALUES('prt_20339da280017km3iK03I4sYqJ','msg_20339d95a001uBFpAwftD8YrZM','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452777,1795350452778,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_20339da79001tAKygk4InV3q6q','msg_20339da32001JjmZEOWJcJ6iOB','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452857,1795350452861,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_20339da7f001NdYqxRoLpriTRs','msg_20339da32001JjmZEOWJcJ6iOB','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452864,1795350452869,'{"type":"text","text":"All said.","time":{"start":1795350452863,"end":1795350452868}}');
INSERT INTO "part" VALUES('prt_20339da88001DCoMnHCqmQ9BEA','msg_20339da32001JjmZEOWJcJ6iOB','ses_dfcc62f16ffeoX3PeVHJKgt0f8',1795350452873,1795350452874,'{"reason":"stop","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
CREATE TABLE `session` (
          `id` text PRIMARY KEY,
          `project_id` text NOT NULL,
          `workspace_id` text,
          `parent_id` text,
          `slug` text NOT NULL,
          `directory` text NOT NULL,
          `path` text,
          `title` text NOT NULL,
          `version` text NOT NULL,
          `share_url` text,
          `summary_additions` integer,
          `summary_deletions` integer,
          `summary_files` integer,
          `summary_diffs` text,
          `metadata` text,
          `cost` real DEFAULT 0 NOT NULL,
          `tokens_input` integer DEFAULT 0 NOT NULL,
          `tokens_output` integer DEFAULT 0 NOT NULL,
          `tokens_reasoning` integer DEFAULT 0 NOT NULL,
          `tokens_cache_read` integer DEFAULT 0 NOT NULL,
          `tokens_cache_write` integer DEFAULT 0 NOT NULL,
          `revert` text,
          `permission` text,
          `agent` text,
          `model` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_compacting` integer,
          `time_archived` integer,
          CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
        );
INSERT INTO "session" VALUES('ses_dfcc62f16ffeoX3PeVHJKgt0f8','global',NULL,NULL,'brave-tiger','/home/agent/project','home/agent/project','{"title": "A session", "isNewTopic": false}','1.18.33',NULL,0,0,0,NULL,NULL,0.0,300,60,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"claude-x","providerID":"fake","variant":"default"}',1795350450410,1795350452912,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
CREATE INDEX `part_session_idx` ON `part` (`session_id`);
CREATE INDEX `session_project_idx` ON `session` (`project_id`);
CREATE INDEX `session_workspace_idx` ON `session` (`workspace_id`);
CREATE INDEX `session_parent_idx` ON `session` (`parent_id`);
COMMIT;