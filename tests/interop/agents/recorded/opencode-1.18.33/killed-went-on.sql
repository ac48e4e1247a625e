BEGIN TRANSACTION;
CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_20339ffd5001jR27F50Czd077I','ses_dfcc60194ffem33wqSV4c3WPPU',1795350462421,1795350465328,'{"role":"user","time":{"created":1795350462421},"agent":"build","model":{"providerID":"fake","modelID":"claude-x"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_2033a0513001Bqflph51XuZsOh','ses_dfcc60194ffem33wqSV4c3WPPU',1795350463763,1795350465266,'{"parentID":"msg_20339ffd5001jR27F50Czd077I","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795350463763,"completed":1795350465255},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_2033a0afb001nOy55uI8RVKXp0','ses_dfcc60194ffem33wqSV4c3WPPU',1795350465275,1795350465276,'{"parentID":"msg_20339ffd5001jR27F50Czd077I","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795350465275}}');
INSERT INTO "message" VALUES('msg_2033ada51001xRlfX2bi8ZHj2Y','ses_dfcc60194ffem33wqSV4c3WPPU',1795350518353,1795350519314,'{"role":"user","time":{"created":1795350518353},"agent":"build","model":{"providerID":"fake","modelID":"claude-x"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_2033addc5001Ly5B5YJOGYRupf','ses_dfcc60194ffem33wqSV4c3WPPU',1795350519237,1795350520101,'{"parentID":"msg_2033ada51001xRlfX2bi8ZHj2Y","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/home/agent/project","root":"/"},"cost":0,"tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"claude-x","providerID":"fake","time":{"created":1795350519237,"completed":1795350520100},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_2033a00170015Kpiuc7LFmmKwv','msg_20339ffd5001jR27F50Czd077I','ses_dfcc60194ffem33wqSV4c3WPPU',1795350463684,1795350463688,'{"type":"text","text":"\"Please say the words.\""}');
INSERT INTO "part" VALUES('prt_2033a09cc001NoT6mbAvXVz5eP','msg_2033a0513001Bqflph51XuZsOh','ses_dfcc60194ffem33wqSV4c3WPPU',1795350464972,1795350464975,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_2033a09d1001Q7FUW5y6cNwxR9','msg_2033a0513001Bqflph51XuZsOh','ses_dfcc60194ffem33wqSV4c3WPPU',1795350464977,1795350464984,'{"type":"reasoning","text":"I should look.","time":{"start":1795350464977,"end":1795350464983},"metadata":{"anthropic":{"signature":"c2lnbmVkIGJ5IHRoZSBmYWtlIHByb3ZpZGVy"}}}');
INSERT INTO "part" VALUES('prt_2033a09df001y3egGmhWVyvacO','msg_2033a0513001Bqflph51XuZsOh','ses_dfcc60194ffem33wqSV4c3WPPU',1795350464991,1795350465000,'{"type":"text","text":"Now alpha.","time":{"start":1795350464991,"end":1795350464998}}');
INSERT INTO "part" VALUES('prt_2033a09eb00191lxbqQsLPjzij','msg_2033a0513001Bqflph51XuZsOh','ses_dfcc60194ffem33wqSV4c3WPPU',1795350465003,1795350465229,'{"type":"tool","tool":"bash","callID":"call_alpha","state":{"status":"completed","input":{"command":"printf ''%s-%s\\n'' alpha real","description":"Run it"},"output":"alpha-real\n","metadata":{"output":"alpha-real\n","exit":0,"truncated":false},"title":"printf ''%s-%s\\n'' alpha real","time":{"start":1795350465018,"end":1795350465227}}}');
INSERT INTO "part" VALUES('prt_2033a0ad1001jZ9HCCeKxPsoRA','msg_2033a0513001Bqflph51XuZsOh','ses_dfcc60194ffem33wqSV4c3WPPU',1795350465233,1795350465235,'{"reason":"tool-calls","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_2033a0b7e001YJqMeieB20U8cu','msg_2033a0afb001nOy55uI8RVKXp0','ses_dfcc60194ffem33wqSV4c3WPPU',1795350465406,1795350465408,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_2033a0b84001QzrhTAFQSo8b2F','msg_2033a0afb001nOy55uI8RVKXp0','ses_dfcc60194ffem33wqSV4c3WPPU',1795350465412,1795350465423,'{"type":"reasoning","text":"I should look.","time":{"start":1795350465412,"end":1795350465419},"metadata":{"anthropic":{"signature":"c2lnbmVkIGJ5IHRoZSBmYWtlIHByb3ZpZGVy"}}}');
INSERT INTO "part" VALUES('prt_2033a0b900013oZQ5YbAYl1v07','msg_2033a0afb001nOy55uI8RVKXp0','ses_dfcc60194ffem33wqSV4c3WPPU',1795350465425,1795350465431,'{"type":"text","text":"Now beta.","time":{"start":1795350465424,"end":1795350465428}}');
INSERT INTO "part" VALUES('prt_2033a0ba2001wco16BWrPRs70i','msg_2033a0afb001nOy55uI8RVKXp0','ses_dfcc60194ffem33wqSV4c3WPPU',1795350465442,1795350465504,'{"type":"tool","tool":"bash","callID":"call_beta","state":{"metadata":{"output":""},"status":"running","input":{"command":"touch started; sleep 100; printf ''%s-%s\\n'' beta real","description":"Run it"},"time":{"start":1795350465484}}}');
INSERT INTO "part" VALUES('prt_2033ada55001Lqu89d0f7dkPub','msg_2033ada51001xRlfX2bi8ZHj2Y','ses_dfcc60194ffem33wqSV4c3WPPU',1795350519209,1795350519214,'{"type":"text","text":"\"Go on.\""}');
INSERT INTO "part" VALUES('prt_2033ae106001IoWFP1NJuAPA4H','msg_2033addc5001Ly5B5YJOGYRupf','ses_dfcc60194ffem33wqSV4c3WPPU',1795350520070,1795350520073,'{"type":"step-start"}');
INSERT INTO "part" VALUES('prt_2033ae10c001msmvZ6ZrsLI3Fu','msg_2033addc5001Ly5B5YJOGYRupf','ses_dfcc60194ffem33wqSV4c3WPPU',1795350520076,1795350520084,'{"type":"text","text":"Done.","time":{"start":1795350520076,"end":1795350520082}}');
INSERT INTO "part" VALUES('prt_2033ae11a001151wTXSNq6hyuF','msg_2033addc5001Ly5B5YJOGYRupf','ses_dfcc60194ffem33wqSV4c3WPPU',1795350520091,1795350520092,'{"reason":"stop","type":"step-finish","tokens":{"total":120,"input":100,"output":20,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
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
INSERT INTO "session" VALUES('ses_dfcc60194ffem33wqSV4c3WPPU','global',NULL,NULL,'clever-garden','/home/agent/project','home/agent/project','{"title": "A session", "isNewTopic": false}','1.18.33',NULL,0,0,0,NULL,NULL,0.0,200,40,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"claude-x","providerID":"fake","variant":"default"}',1795350462059,1795350520129,NULL,NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
CREATE INDEX `part_session_idx` ON `part` (`session_id`);
CREATE INDEX `session_project_idx` ON `session` (`project_id`);
CREATE INDEX `session_workspace_idx` ON `session` (`workspace_id`);
CREATE INDEX `session_parent_idx` ON `session` (`parent_id`);
COMMIT;